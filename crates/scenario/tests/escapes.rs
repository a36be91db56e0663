//! What `escape` in `[routing]` takes.

use flitsim_engine::routing::Algorithm;
use flitsim_keys::Shape;
use flitsim_scenario::tables;

#[test]
fn escapes_are_those_of_the_registry() {
    let routing = tables::named("routing").unwrap();
    let keys = routing.all_keys();
    let escape = keys.iter().find(|key| key.name == "escape").unwrap();
    let Shape::Word(words) = escape.shape else {
        panic!("{:?}", escape.shape);
    };
    let all = Algorithm::ALL.iter();
    let escapes = all.filter(|algorithm| algorithm.is_escape());
    let names: Vec<&str> = escapes.map(|algorithm| algorithm.name()).collect();
    assert_eq!(words(), names);
}
