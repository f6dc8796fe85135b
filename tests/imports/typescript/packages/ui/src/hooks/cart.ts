import { useState } from 'react';
import { useGone } from './gone';
