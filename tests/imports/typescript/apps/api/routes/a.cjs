// require('./c')
exports.x = foo.require('./c')
