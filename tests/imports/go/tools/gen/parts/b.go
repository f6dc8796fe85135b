package parts

import "example.org/mail/internal/server"
