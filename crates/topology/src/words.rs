//! The words that scenarios have for what a network is made of.

use crate::cost::Constraint;
use crate::layout::WireModel;
use flitsim_keys::Words;

impl Words for WireModel {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("constant", Self::Constant),
        ("logarithmic", Self::Logarithmic),
        ("linear", Self::Linear),
    ];
}

impl Words for Constraint {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("bisection", Self::Bisection),
        ("pin-out", Self::PinOut),
        ("area", Self::Area),
    ];
}
