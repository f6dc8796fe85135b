package org.loom.util

object Text
