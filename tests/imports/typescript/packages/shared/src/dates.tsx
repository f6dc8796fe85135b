import type { Money } from './money'
import React, { useState } from 'react'
export const A = () => <p title="it's">Don't import('./polyfill')</p>;
