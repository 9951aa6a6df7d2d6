//! The instruction sets that code is generated for, as data.
//!
//! The runtime's `Level` lists the same ones. Generated code asserts while it compiles that both name the same
//! target features: the runtime detects exactly what the kernels here are compiled for.

/// One instruction set.
#[derive(Debug, PartialEq, Eq)]
pub struct Isa {
    /// The name of the level, of the runtime's module of primitives, and of the generated module.
    pub name: &'static str,
    /// The variant of the runtime's `Kind`.
    pub kind: &'static str,
    /// The target features that kernels are compiled with; empty for what every machine has.
    pub features: &'static str,
    /// Bytes of a vector.
    pub vector_bytes: usize,
    /// Vectors that the machine can name.
    pub registers: usize,
    /// Packed vectors whose non-zero blocks are listed at once.
    pub nonzero_vectors: usize,
    /// Whether a dot product's sum is ready one step later. Otherwise it takes four, and independent
    /// sums must hide that.
    pub short_dot_chain: bool,
    /// Whether products of bytes are added in 32 bits, so that nothing can saturate.
    pub exact_dot: bool,
}

impl Isa {
    /// Values of `bytes` bytes in a vector.
    pub fn lanes(&self, bytes: usize) -> usize {
        self.vector_bytes / bytes
    }

    /// Whether any machine can run it.
    pub fn is_portable(&self) -> bool {
        self.features.is_empty()
    }
}

macro_rules! avx2_features {
    ($($more:literal)*) => { concat!("avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt" $(, $more)*) };
}

/// Every instruction set, the slowest first.
pub static ISAS: [Isa; 5] = [
    Isa {
        name: "scalar",
        kind: "Scalar",
        features: "",
        vector_bytes: 16,
        registers: 16,
        nonzero_vectors: 1,
        short_dot_chain: true,
        exact_dot: true,
    },
    Isa {
        name: "avx2",
        kind: "Avx2",
        features: avx2_features!(),
        vector_bytes: 32,
        registers: 16,
        nonzero_vectors: 1,
        short_dot_chain: true,
        exact_dot: false,
    },
    Isa {
        name: "avxvnni",
        kind: "AvxVnni",
        features: avx2_features!(",avxvnni"),
        vector_bytes: 32,
        registers: 16,
        nonzero_vectors: 1,
        short_dot_chain: false,
        exact_dot: true,
    },
    Isa {
        name: "avx512",
        kind: "Avx512",
        features: avx2_features!(",avx512f,avx512bw,avx512dq,avx512vl,avx512cd"),
        vector_bytes: 64,
        registers: 32,
        nonzero_vectors: 1,
        short_dot_chain: true,
        exact_dot: false,
    },
    Isa {
        name: "avx512icl",
        kind: "Avx512Icl",
        features: avx2_features!(
            ",avx512f,avx512bw,avx512dq,avx512vl,avx512cd"
            ",avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
        ),
        vector_bytes: 64,
        registers: 32,
        nonzero_vectors: 2,
        short_dot_chain: false,
        exact_dot: true,
    },
];
