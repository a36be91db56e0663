//! The oracle alone, until the engine is there.
mod oracle;
