require "bakery"
require "icing/sugar"
