//! Delays of wires, by their lengths.

use flitsim_topology::layout::WireModel::{Constant, Linear, Logarithmic};

#[test]
fn a_wire_of_one_pitch_is_the_unit_of_every_model() {
    for model in [Constant, Logarithmic, Linear] {
        assert_eq!(model.delay(1.0), 1.0);
        assert_eq!(model.delay(0.0), 1.0, "an interchange beside its node");
        assert_eq!(model.delay(0.5), 1.0);
    }
}

#[test]
fn delays_grow_as_the_models_say() {
    assert_eq!(Constant.delay(512.0), 1.0);
    assert_eq!(Logarithmic.delay(512.0), 10.0);
    assert_eq!(Linear.delay(512.0), 512.0);
}
