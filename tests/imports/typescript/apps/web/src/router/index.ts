export { view } from './view';
