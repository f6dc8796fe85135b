import { Header } from '~components/Header';
import absolute from 'src/router';
