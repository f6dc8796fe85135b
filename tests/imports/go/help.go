package main

import "fmt"
