require "spec_helper"
require "support/ovens"
require "bakery/dough"
