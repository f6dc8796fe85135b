require "bundler/setup"
require "bakery"
Dir[File.join(__dir__, "support/*.rb")].each { |f| require f }
