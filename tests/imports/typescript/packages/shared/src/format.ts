import { Money } from './money';
// import { parse } from './parse';
const note = "import x from './dates'";
const page = `
import y from './polyfill'
${`nested ${note} './parse'`}
`;
export const re = /import z from '.\/dates'/;
