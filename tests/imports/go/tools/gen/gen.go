//go:build ignore

package gen

import (
	"example.org/mail/store"
	"example.org/tools/gen/parts"
)
