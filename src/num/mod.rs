//! Bit-exact scalar arithmetic shared by the evaluator, the constant folder and the machine.
