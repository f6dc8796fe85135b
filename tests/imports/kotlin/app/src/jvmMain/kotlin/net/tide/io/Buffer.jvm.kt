package net.tide.io

import java.io.File
import net.tide.model.Wave

actual class Buffer
