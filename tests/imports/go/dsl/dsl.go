package dsl

import "example.org/mail/store"
