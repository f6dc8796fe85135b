//! Holds nothing: what matters are the dependencies.
