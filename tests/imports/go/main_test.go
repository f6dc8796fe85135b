package main

import (
	"testing"

	"example.org/mail/internal/server"
)
