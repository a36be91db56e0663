//! The room that a 3-D torus takes when it is folded in space, and what pruning saves (Parhami &
//! Kwai, "Comparing four classes of torus-based parallel architectures", section 4.E and figure 6).
//!
//! A grid point holds a node or the wires that pass there; wires are as wide as those of the full
//! torus unless said otherwise. The paper gives no such figures for one-way tori.

use super::Thinning;

/// The share of the room that a pruned torus needs for its bisection: half as many links cross it.
const BISECTION_SHARE: f64 = 1.0 / 2.0;

/// The further share that is left where folding occurs along only one of the two pruned dimensions.
const FOLDING_SHARE: f64 = 3.0 / 4.0;

/// Links of a pruned node over those of a full one, 4 of 6: with the same pins, links are this much
/// fewer and so the inverse, 3/2, wider.
const LINKS_SHARE: f64 = 4.0 / 6.0;

/// Grid points that a full 3-D torus of radix `radix` takes, folded in all three directions: a
/// 2 × 2 × 2 subgrid for each node, 8 k³.
pub fn torus_volume(radix: u32) -> f64 {
    8.0 * f64::from(radix).powi(3)
}

/// Room of the 3-D torus thinned out as `thinning` says over that of the full torus, with links of
/// the same width: 3/8 for the pruned torus, half for its bisection and three quarters of that for
/// its folding. As volume, or as area where it is laid out in the plane. `None` for one-way tori.
pub fn room_share(thinning: Thinning) -> Option<f64> {
    (thinning == Thinning::Pruned).then_some(BISECTION_SHARE * FOLDING_SHARE)
}

/// Grid points that a pruned 3-D torus takes, by the same reckoning: 3 k³. `None` for one-way tori.
pub fn volume(thinning: Thinning, radix: u32) -> Option<f64> {
    room_share(thinning).map(|share| share * torus_volume(radix))
}

/// How much wider a link is than one of the full torus with as many pins a node: 3/2 in the pruned
/// torus, whose nodes have 4 links instead of 6. `None` for one-way tori.
pub fn width_factor(thinning: Thinning) -> Option<f64> {
    (thinning == Thinning::Pruned).then_some(1.0 / LINKS_SHARE)
}

/// Room over that of the full torus when the wider links are factored in: the share of
/// [`room_share`] times the width's factor to the power `exponent`. The paper does not say which:
/// 1 where a wider link takes more layers, 2 for an area whose both sides grow. It claims that less
/// than 1 is left, which both give: 9/16 and 27/32. `None` for one-way tori.
pub fn room_share_at_equal_pins(thinning: Thinning, exponent: i32) -> Option<f64> {
    let wider = width_factor(thinning)?.powi(exponent);
    room_share(thinning).map(|share| share * wider)
}
