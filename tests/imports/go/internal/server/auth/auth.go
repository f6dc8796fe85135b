package auth

import "crypto/tls"
