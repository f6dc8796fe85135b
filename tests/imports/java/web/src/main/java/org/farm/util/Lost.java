package org.farm.util;
