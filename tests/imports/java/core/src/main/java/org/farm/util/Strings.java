package org.farm.util;

import com.google.common.base.Joiner;
import org.farm.Farm; import org.farm.Barn;
