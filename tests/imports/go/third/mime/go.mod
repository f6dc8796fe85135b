module example.org/mime
