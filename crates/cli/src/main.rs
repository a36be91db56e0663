//! flitsim.
fn main() {}
