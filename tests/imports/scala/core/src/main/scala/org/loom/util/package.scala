package org.loom

package object util
