module Bakery; VERSION = "1" end
