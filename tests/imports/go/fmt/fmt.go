package fmt

import "fmt"
