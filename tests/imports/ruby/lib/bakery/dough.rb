require_relative 'flour'; require_relative "./water"
require_relative('oven')
require "bakery/gone"
