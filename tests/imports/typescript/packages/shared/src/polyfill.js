require('core-js');
