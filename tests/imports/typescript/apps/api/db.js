const path = require('path')
