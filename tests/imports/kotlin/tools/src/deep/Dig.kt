package net.tide.tools.deep

fun dig() {}
