package org.farm.util;

import java.util.List;
