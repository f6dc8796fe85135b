package storetest

import "C"
import store "example.org/mail/store"
