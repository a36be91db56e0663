//! Passes by the vectors that there are.

/// Does something with the vectors of a level, as code that is compiled for them: as `fearless_simd::dispatch`, but
/// of x86-64 for three levels, those that all have, AVX2 and AVX-512. Passes are long to compile, and few processors
/// have SSE4.2 and no AVX2.
macro_rules! dispatch {
    ($level:expr, $simd:ident => $then:expr) => {{
        let level: fearless_simd::Level = $level;
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! with {
                ($vectors:expr) => {{
                    let $simd = $vectors;
                    fearless_simd::Simd::vectorize(
                        $simd,
                        #[inline(always)]
                        || $then,
                    )
                }};
            }
            if let Some(vectors) = level.as_avx512() {
                with!(vectors)
            } else if let Some(vectors) = level.as_avx2() {
                with!(vectors)
            } else {
                with!(level.as_sse2().expect("every x86-64 processor has it"))
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            fearless_simd::dispatch!(level, $simd => $then)
        }
    }};
}

pub(in crate::dense) use dispatch;
