package org.farm.tools;

import static org.farm.testing.Fixtures.*;
