import { CHAIN } from './chain';
import { INSTALLATION } from './installation';
import { MONEY } from './money';
import { PEOPLE } from './people';
import type { Rows } from './world';

/** How each decision of the catalogue is made, and where its effect shows. */
export const ROWS: Rows = { ...MONEY, ...PEOPLE, ...INSTALLATION, ...CHAIN };
