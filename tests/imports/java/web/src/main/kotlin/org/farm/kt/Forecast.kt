package org.farm.kt

import org.farm.kt.Weather as W
fun tomorrow() = 1
