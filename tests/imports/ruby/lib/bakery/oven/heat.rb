require_relative "../water"
