package server

import (
	"net/http"

	"example.org/mail/internal/server/auth"
	`example.org/mail/store`
	"example.org/mailing/list"
)

type Server struct{ s store.Store }
