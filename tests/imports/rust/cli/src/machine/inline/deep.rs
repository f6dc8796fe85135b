use super::super::Machine;
