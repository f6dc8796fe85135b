package org.farm.web;

import org.farm.Farm;
import org.farm.animals.*;
import org.farm.kt.Weather;
import org.farm.kt.ForecastKt;
import org.farm.web.routes.Routes;
import util.Lost;
