mod roast;
pub use roast::Roast;
