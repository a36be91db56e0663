//! What families say of parameters that they do not allow.

use flitsim_topology::TopologyError;

/// Checks that `error` is about the parameter `key`, says `message`, and offers `remedy`.
#[track_caller]
pub fn check(error: &TopologyError, key: &str, message: &str, remedy: &str) {
    let TopologyError::Parameter(refused) = error else {
        panic!("{error:?}");
    };
    assert_eq!(refused.key(), Some(key));
    assert!(refused.message().contains(message), "{refused}");
    assert!(
        refused.remedy().is_some_and(|words| words.contains(remedy)),
        "{refused}"
    );
}
