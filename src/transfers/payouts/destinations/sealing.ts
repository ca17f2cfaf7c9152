import type { Keyring } from '../../../kernel/security/keyring';
import type { Destination } from '../../../parties/payouts/port';

/** Each kind seals its destinations with a key of its own. */
export type SealedFor = 'payout-destinations' | 'iban-payout-destinations' | 'withdrawal-destinations';

/** Seals a destination. @param context what it is bound to: the payout, the owner of the quote, or its own id */
export const sealDestination = (
  keyring: Keyring,
  purpose: SealedFor,
  destination: Destination,
  context: string,
): Buffer => keyring.sealer(purpose).seal(Buffer.from(JSON.stringify(destination)), context);

/** Opens a destination for the order to the party. Never log or store it, and never return it to a workflow. */
export const openDestination = (
  keyring: Keyring,
  purpose: SealedFor,
  sealed: Buffer,
  context: string,
): Destination => JSON.parse(keyring.sealer(purpose).open(sealed, context).toString('utf8')) as Destination;
