use crate::Error;
pub(in crate::recipe) fn f() {}
impl super::Recipe { fn x(&self) -> self::Step { super::super::Error::A } }
