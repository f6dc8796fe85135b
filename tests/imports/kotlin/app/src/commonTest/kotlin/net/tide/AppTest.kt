package net.tide

import kotlin.test.Test
import net.tide.io.Buffer
import net.tide.model.Height as H
import net.tide.support.*
