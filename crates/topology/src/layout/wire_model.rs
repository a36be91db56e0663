//! How long a signal takes along a wire (Dally, "Wire-efficient VLSI multiprocessor communication
//! networks", section 4): a constant, the logarithm of the length while charging the wire limits it
//! (equation 4), or the length where the speed of light does (equation 5).

/// How the delay of a channel follows from the length of its wires.
///
/// ```
/// use flitsim_topology::layout::WireModel;
///
/// assert_eq!(WireModel::Constant.delay(8.0), 1.0);
/// assert_eq!(WireModel::Logarithmic.delay(8.0), 4.0);
/// assert_eq!(WireModel::Linear.delay(8.0), 8.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WireModel {
    /// 1, whatever the length.
    #[default]
    Constant,
    /// 1 + log2 of the length.
    Logarithmic,
    /// The length.
    Linear,
}

impl WireModel {
    /// The delay of a wire of `length_pitches` node pitches, in units of that of a wire of one
    /// pitch. A shorter wire counts as one pitch long, so that no delay is below 1.
    pub fn delay(self, length_pitches: f64) -> f64 {
        let length = length_pitches.max(1.0);
        match self {
            Self::Constant => 1.0,
            Self::Logarithmic => 1.0 + length.log2(),
            Self::Linear => length,
        }
    }
}
