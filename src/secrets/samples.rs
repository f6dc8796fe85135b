//! Values that look random, from which tests make secrets.

/// Letters and digits.
pub(super) const RANDOM: &str = "x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9uQ5iO";

/// Sixteen bytes in hexadecimal digits.
pub(super) const HEX: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";

/// The same bytes as a UUID.
pub(super) const UUID: &str = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";
