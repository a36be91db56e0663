//! The words that scenarios have for what a network is made of.

use crate::cost::Constraint;
use crate::layout::WireModel;
use flitsim_keys::words;

words! {
    WireModel: "constant" Constant, "logarithmic" Logarithmic, "linear" Linear;
    Constraint: "bisection" Bisection, "pin-out" PinOut, "area" Area;
}
