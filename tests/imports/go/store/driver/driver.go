package driver

import (
	"database/sql"
	"example.org/mail/store"
	"example.org/mail/store/gone"
)
