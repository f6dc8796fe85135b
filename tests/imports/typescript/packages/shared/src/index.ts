export * from './format';
export { parse, type Parsed } from './parse/index.js';
export type { Money } from "./money.js";
export * as dates from './dates';
import './polyfill';
export default function from(x: string) { return x; }
