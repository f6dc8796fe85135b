package org.farm;

import org.farm.animals.Cow;
import org.farm.testing.Fixtures;
import org.junit.Test;
