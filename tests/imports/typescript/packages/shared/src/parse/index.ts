import { tokens } from './tokens.js';
import legacy = require('../legacy');
import data from './grammar.json';
export const parse = (x: any) => import(/* lazy */ './slow');
export type Parsed = import('../money').Money;
