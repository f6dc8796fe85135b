const a = require('./a')
    , b = require('../db')
module.exports = { a, b, require: './c' }
