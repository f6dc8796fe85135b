load "bakery/flour.rb"
