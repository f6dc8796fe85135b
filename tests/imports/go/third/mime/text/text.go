package text

import "strings"
