//! Memory: what does not fit is refused with what there is, and so many simulations run at once as fit.

use flitsim_scenario::{Overrides, Plan, ScenarioError, at_once_most};
use std::path::Path;

/// A torus of 4,096 routers, with 64 virtual channels of so many flits.
fn plan(buffer_flits: u32) -> Result<Plan, ScenarioError> {
    let text = format!(
        "[topology]\nkind = \"torus\"\nradix = 64\ndimensions = 2\n\
         [router]\nvirtual_channels = 64\nbuffer_flits = {buffer_flits}\n"
    );
    Plan::parse(Path::new("a.toml"), text, Overrides::default())
}

#[test]
fn as_many_simulations_run_at_once_as_fit() {
    let bytes = plan(64).unwrap().series[0].bytes_estimate();
    assert!(bytes > 16_384 * 64 * 64 * 4, "{bytes}");
    let all = at_once_most(bytes, Some(u64::MAX));
    assert_eq!(all as u128, u128::from(u64::MAX) / bytes);
    assert_eq!(at_once_most(bytes, Some((2 * bytes) as u64)), 2);
    assert_eq!(at_once_most(bytes, Some(bytes as u64 - 1)), 0);
    // Where the system does not tell what it has.
    assert_eq!(at_once_most(16 << 30, None), 1);
    assert_eq!(at_once_most(17 << 30, None), 0);
    // Small ones are nobody's business.
    assert_eq!(at_once_most(64 << 20, Some(0)), usize::MAX);
}

/// The test runs itself again, with few addresses.
#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_the_memory_is_told_before_it_is_built() {
    if !crate::limited::is_limited("room::what_does_not_fit_the_memory_is_told_before_it_is_built")
    {
        return;
    }
    assert!(plan(64).is_ok());
    // 16,384 channels of 64 virtual channels of 1,024 flits are 4 GiB.
    let Err(refused) = plan(1_024) else {
        panic!("4 GiB fit");
    };
    let refused = refused.message();
    assert!(refused.contains("simulating 4096 routers"), "{refused}");
    let available = refused.strip_suffix(" are available");
    let available = available.and_then(|text| text.rsplit(' ').next());
    let available: u64 = available.expect("what there is").parse().unwrap();
    assert!(available < 2_000_000 << 10, "{refused}");
}
