//! One library call that compiles an input for a target.
