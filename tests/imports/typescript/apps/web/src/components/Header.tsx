import { theme } from '@shop/ui/nothing';
