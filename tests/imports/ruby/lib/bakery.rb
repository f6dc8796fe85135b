# frozen_string_literal: true

require "json"
require 'set'
require "bakery/version"
require 'bakery/dough'
require_relative "bakery/oven"
autoload :Old, "bakery/old"

module Bakery
  autoload :Shop, 'bakery/shop'
  autoload(:Till, File.join(__dir__, "bakery/till"))

  HELP = <<~TEXT
    require "bakery/hidden"
    require_relative "bakery/hidden"
  TEXT

  def self.fancy
    require "bakery/fancy" if ENV["FANCY"]
    begin require "nokogiri"; rescue LoadError; end
    # require "bakery/hidden"
    puts "require 'bakery/hidden'"
    require "bakery/#{name}"
  end
end
=begin
require "bakery/hidden"
=end
__END__
require "bakery/hidden"
