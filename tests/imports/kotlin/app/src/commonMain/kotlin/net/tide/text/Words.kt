package net.tide.text

fun readLine() = 1
