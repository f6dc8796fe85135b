use crate::Other;
