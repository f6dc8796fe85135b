require "date"
