import { Money } from '..';
import * as up from '../index';
