package server_test

import (
	"testing"

	"example.org/mail/internal/server"
	"example.org/mail/store/storetest"
)
