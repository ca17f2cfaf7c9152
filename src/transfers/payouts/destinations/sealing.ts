import type { Keyring } from '../../../kernel/security/keyring';
import type { Destination } from '../../../parties/payouts/port';

/** The key of its own that each kind's destinations are sealed with. */
export type SealedFor = 'payout-destinations' | 'iban-payout-destinations' | 'withdrawal-destinations';

/** A destination as it is kept. @param context what it is bound to: its payout, who has had it quoted, or its own id */
export const sealDestination = (
  keyring: Keyring,
  purpose: SealedFor,
  destination: Destination,
  context: string,
): Buffer => keyring.sealer(purpose).seal(Buffer.from(JSON.stringify(destination)), context);

/** For the moment of submitting it: never to be logged, returned to a workflow, or kept. */
export const openDestination = (
  keyring: Keyring,
  purpose: SealedFor,
  sealed: Buffer,
  context: string,
): Destination => JSON.parse(keyring.sealer(purpose).open(sealed, context).toString('utf8')) as Destination;
