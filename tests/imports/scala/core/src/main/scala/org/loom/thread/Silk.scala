package org.loom.thread

object Silk
