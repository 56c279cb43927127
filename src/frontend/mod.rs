//! The kernel language: tokens, AST, names, types, constants, lowering to VISA.
