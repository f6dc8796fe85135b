package net.tide.io.internal

import net.tide.io.Buffer

internal fun <T : Any> Buffer.commonRead(x: List<T>): Int = 1
