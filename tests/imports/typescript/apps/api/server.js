import express from 'express';
import fs from 'fs';
import { config } from '@config';
import { money } from '@shared/money';
import db from './db.js';
import routes from './routes';
export { db as default, routes };
