//! Random networks, drawn from seeds and committed. A package of its own: they are compiled without the optimiser, which
//! would take five minutes for what runs seconds either way.
