import type { Sql } from '../../../kernel/db/database';
import type { Keyring } from '../../../kernel/security/keyring';
import type { Destination } from '../../../parties/payouts/port';
import { findSealedDestination } from './store';

const PURPOSE = 'iban-payout-destinations';

const seal = (keyring: Keyring, destination: Destination, context: string): Buffer =>
  keyring.sealer(PURPOSE).seal(Buffer.from(JSON.stringify(destination)), context);

const open = (keyring: Keyring, sealed: Buffer, context: string): Destination =>
  JSON.parse(keyring.sealer(PURPOSE).open(sealed, context).toString('utf8')) as Destination;

/** In a quote: bound to the IBAN that it is quoted for. */
export const sealedForQuote = (keyring: Keyring, ibanId: string, destination: Destination): string =>
  seal(keyring, destination, ibanId).toString('base64');

export const unsealedFromQuote = (keyring: Keyring, ibanId: string, sealed: string): Destination =>
  open(keyring, Buffer.from(sealed, 'base64'), ibanId);

/** In a payout: bound to it. */
export const sealedForPayout = (keyring: Keyring, payoutId: string, destination: Destination): Buffer =>
  seal(keyring, destination, payoutId);

/** For the moment of submitting it: never to be logged, returned to a workflow, or kept. */
export async function openDestination(sql: Sql, keyring: Keyring, payoutId: string): Promise<Destination> {
  const sealed = await findSealedDestination(sql, payoutId);
  return open(keyring, sealed, payoutId);
}
