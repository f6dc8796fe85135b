package store

import ("errors"; "example.org/mail/fmt")
