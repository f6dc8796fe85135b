package server

import "syscall"
