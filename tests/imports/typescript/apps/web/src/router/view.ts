import { x } from './'
import { y } from '.'
