import { format } from '@shop/shared';
import { Card } from './card';
