package net.tide.io

import net.tide.model.Wave.Kind.HIGH

expect class Buffer
