// Package main starts it all.
//
// import "example.org/mail/internal/hidden"
package main

import (
	"context"
	"fmt"
	log "log/slog"

	"example.org/mail/internal/server"
	_ "example.org/mail/store/driver" // import "example.org/mail/internal/hidden"
	. "example.org/mail/dsl"
	mt "example.org/mime/text"
	"example.org/mime"

	"github.com/lib/pq"
	/* "example.org/mail/internal/hidden" */
)

import "example.org/tools/gen"

const help = `
import "example.org/mail/internal/hidden"
`

func main() { fmt.Println("example.org/mail/internal/hidden") }
