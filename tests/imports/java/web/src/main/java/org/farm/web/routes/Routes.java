package org.farm.web.routes;

import static org.farm.web.Server.PORT;
