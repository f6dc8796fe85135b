package org.farm.tools;

import org.farm.tools.inner.*;
