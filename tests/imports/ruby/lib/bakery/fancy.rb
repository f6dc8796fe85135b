x = 1 << 2
require "bakery"
