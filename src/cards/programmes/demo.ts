import type { Tx } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { Bin } from './record';
import { insertBin } from './store';

const TERMS = {
  status: 'active',
  capacityPerCardholder: 10,
  fees: {
    issue: new Decimal('1.00'),
    topUp: new Decimal('0.25'),
    settleFixed: new Decimal('0.10'),
    settlePercent: new Decimal('0.5'),
    decline: new Decimal('0.20'),
  },
  markupPercent: new Decimal('2'),
  authorizationDays: 7,
  maxAuthorization: null,
  maxPerDay: null,
  maxPerMonth: null,
  blockedMccs: ['7995'], // betting
  allowedMccs: [],
  blockedCountries: [],
  challengeEcommerce: false,
  challengeAbove: null,
  homeCountries: [],
  demo: true,
} satisfies Partial<Bin>;

/** The BINs of a sandbox. */
export const DEMO_BINS: readonly Bin[] = [
  { ...TERMS, bin: '44112200', scheme: 'visa', currency: 'USD', model: 'B2B' },
  { ...TERMS, bin: '44112201', scheme: 'visa', currency: 'USD', model: 'B2C' },
  { ...TERMS, bin: '53112202', scheme: 'mastercard', currency: 'EUR', model: 'B2B' },
];

/** Inserts missing demo BINs. A demo BIN that an operator has changed is left alone. */
export async function ensureDemoBins(tx: Tx): Promise<void> {
  for (const bin of DEMO_BINS) await insertBin(tx, bin);
}
