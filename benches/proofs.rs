//! How long proofs of freedom from deadlock take, on the networks of docs/verification.md:
//!
//! ```sh
//! cargo bench -p flitsim-kernel-case --bench proofs
//! ```

use flitsim_analysis::verify::{Proof, VerifyOptions, verify, verify_by_legs, verify_by_product};
use flitsim_engine::routing::{DimensionOrder, Duato, EnhancedNbc, Tie, Valiant};
use flitsim_engine::{EngineConfig, VcReallocation};
use flitsim_topology::{Ends, Grid, Paths, Star};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let on_tori = [
        ("8-ary 2-cube", &[8, 8][..]),
        ("13 x 13 torus", &[13, 13]),
        ("16-ary 3-cube", &[16, 16, 16]),
    ];
    for (name, radices) in on_tori {
        let network = Grid::new(radices, Ends::Ring)?.into_network();
        let grid = network.grid().ok_or("a torus is a grid")?;
        let order = DimensionOrder::new(grid, 4, Tie::Random, true)?;
        let options = options(4);
        timed(&format!("{name}, dimension order"), || {
            Ok(verify(&network, &order, &options))
        })?;
        timed(&format!("{name}, dimension order, ring by ring"), || {
            verify_by_product(&order, &options).ok_or("not ring by ring".into())
        })?;
    }
    valiant()?;
    long_rings()?;
    let network = Grid::hypercube(10)?.into_network();
    let grid = network.grid().ok_or("a hypercube is a grid")?;
    let duato = Duato::new(grid, 2)?;
    timed("H_10, duato", || Ok(verify(&network, &duato, &options(2))))?;

    let network = Star::new(10)?.into_network();
    let paths = Paths::of(&network)?;
    let enhanced = EnhancedNbc::new(&paths, 8, None)?;
    timed("S_10, enhanced-nbc", || {
        Ok(verify(&network, &enhanced, &options(8)))
    })
}

fn valiant() -> Result<(), Box<dyn Error>> {
    for (name, radices, ends, vcs) in [
        ("8-ary 2-cube", &[8, 8][..], Ends::Ring, 4),
        ("64 x 64 torus", &[64, 64], Ends::Ring, 4),
        ("64 x 64 mesh", &[64, 64], Ends::Open, 2),
        ("512 x 512 torus", &[512, 512], Ends::Ring, 4),
        ("hypercube of 2^16 nodes", &[2; 16], Ends::Open, 2),
    ] {
        let network = Grid::new(radices, ends)?.into_network();
        let grid = network.grid().ok_or("a torus is a grid")?;
        let valiant = Valiant::new(grid, vcs, true)?;
        let options = options(vcs);
        if network.terminals() <= 64 {
            timed(&format!("{name}, valiant"), || {
                Ok(verify(&network, &valiant, &options))
            })?;
        }
        timed(&format!("{name}, valiant, leg by leg"), || {
            verify_by_legs(&valiant, &options).ok_or("not leg by leg".into())
        })?;
    }
    Ok(())
}

fn long_rings() -> Result<(), Box<dyn Error>> {
    for (name, radices) in [
        ("64 x 64 torus", &[64, 64][..]),
        ("1024 x 1024 torus", &[1024, 1024]),
        ("ring of 65,535", &[65_535]),
    ] {
        let network = Grid::new(radices, Ends::Ring)?.into_network();
        let grid = network.grid().ok_or("a torus is a grid")?;
        let order = DimensionOrder::new(grid, 4, Tie::Random, true)?;
        for vcs in [4, 1] {
            let name = format!("{name}, dimension order, {vcs} virtual channels, ring by ring");
            timed(&name, || {
                verify_by_product(&order, &options(vcs)).ok_or("not ring by ring".into())
            })?;
        }
    }
    Ok(())
}

fn options(virtual_channels: u32) -> VerifyOptions<'static> {
    let config = EngineConfig {
        virtual_channels,
        vc_reallocation: VcReallocation::Atomic,
        ..EngineConfig::default()
    };
    VerifyOptions::of(&config)
}

fn timed(
    name: &str,
    prove: impl FnOnce() -> Result<Proof, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let proof = prove()?;
    println!(
        "{name}: {:.3} s, {}, {} configurations, {:?}",
        start.elapsed().as_secs_f64(),
        if proof.is_free() {
            "free of deadlock"
        } else {
            "not proved"
        },
        proof.configurations,
        proof.coverage
    );
    Ok(())
}
