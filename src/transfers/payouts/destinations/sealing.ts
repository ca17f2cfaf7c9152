import type { Keyring } from '../../../kernel/security/keyring';
import type { Destination } from '../../../parties/payouts/port';
import { type Owner, ownerSealer } from '../../owner-sealer';

/** The key of destinations that belong to no user. */
const PURPOSE = 'destinations';

/**
 * Seals a destination for the owner of the account that pays.
 * @param context id that the destination is bound to: of the payout, of the virtual IBAN of a quote, or its own
 * @throws Problem 409 `invalid_transition` once the owner was erased
 */
export const sealDestination = (
  keyring: Keyring,
  owner: Owner,
  destination: Destination,
  context: string,
): Buffer => ownerSealer(keyring, owner, PURPOSE).seal(Buffer.from(JSON.stringify(destination)), context);

/**
 * Opens a destination. Never log or store it, and never return it to a workflow.
 * @throws Problem 409 `invalid_transition` once the owner was erased
 */
export const openDestination = (
  keyring: Keyring,
  owner: Owner,
  sealed: Buffer,
  context: string,
): Destination =>
  JSON.parse(ownerSealer(keyring, owner, PURPOSE).open(sealed, context).toString('utf8')) as Destination;
