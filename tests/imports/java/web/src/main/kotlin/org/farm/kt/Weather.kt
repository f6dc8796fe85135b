package org.farm.kt

import org.farm.Farm
import org.farm.util.Strings.join
