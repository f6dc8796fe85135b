package org.loom.pattern

import Pattern.Plain
import org.loom.pattern.Pattern.Plain
import org.loom.gone.Gone
type Weave = Int
