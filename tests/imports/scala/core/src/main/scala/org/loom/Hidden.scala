package org.loom

object Hidden
