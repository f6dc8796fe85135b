require File.expand_path('../oven/heat', __FILE__)
require File.expand_path("../flour", __dir__)
