//! Routers in stages, densely: the timing and the separable allocators of `kernel::stages`, in passes.

mod block;
mod claim;
mod compiled;
mod cycle;
mod heads;
mod pass;
mod rules;
mod switch;

pub(super) use cycle::Core;
pub(super) use rules::Rules;
