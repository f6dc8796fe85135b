package net.tide.`in`

class Inlet
