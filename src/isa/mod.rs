//! The instruction tables of real machines and the generic machinery that walks them.
