export { Button } from '@shop/ui/button';
export { useCart } from '@shop/ui/hooks/cart';
import { theme } from '#theme';
import Cart from '#icons/cart';
import './styles.css';
