require_relative "lib/bakery/version"
