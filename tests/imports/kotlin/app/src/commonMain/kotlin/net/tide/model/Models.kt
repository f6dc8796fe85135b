package net.tide.model

import net.tide.io.size

data class Wave(val height: Height) { enum class Kind { HIGH } companion object { fun of() = 1 } }
@JvmInline
value class Height(val metres: Double)
internal object Hidden
