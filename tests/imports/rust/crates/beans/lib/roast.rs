use crate::Roasted;
