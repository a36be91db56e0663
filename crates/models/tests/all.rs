//! One program for all tests of this folder: built and linked once, its tests run side by side. The
//! workspace's `tests/all.rs` holds this list to the folder.

mod dally_express_cubes;
mod dally_k_ary_n_cubes;
mod greenberg_guan;
mod kiasari_sarbazi_azad;
mod parhami_kwai;
