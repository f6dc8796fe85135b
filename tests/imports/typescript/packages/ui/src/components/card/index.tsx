import {
  one, // from './two'
  two as three,
} from
  '../../theme';
