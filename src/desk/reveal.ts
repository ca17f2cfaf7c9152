import type { Sql } from '../kernel/db/database';
import { invalid, notFound } from '../kernel/errors';
import { type IdKind, kindOfId } from '../kernel/ids';
import type { Keyring } from '../kernel/security/keyring';
import { requireCardholder } from '../people/cardholders/operations';
import { approvedToReveal } from '../people/kyc/approvals';
import { requireUser, type User } from '../people/users/operations';
import { readSituation } from '../transfers/engine/read';
import { bankOf, requireDestination } from '../transfers/exchange/destinations/operations';
import { exchangeWithdrawalKind } from '../transfers/exchange/withdrawals/kind';
import { ibanPayoutKind } from '../transfers/iban/payouts/kind';
import { payoutKind } from '../transfers/payouts/kind';
import type { PayoutKind } from '../transfers/payouts/paid-by-party';
import { revealDestination } from '../transfers/payouts/reveal';

/** Personal data that only an approver may see: a beneficiary, an applicant. */
export interface Revealed {
  /** Action in the audit log: `payout.reveal`. */
  action: string;
  tenantId: string | null;
  data: object;
}

type Revealer = (sql: Sql, keyring: Keyring, id: string) => Promise<Revealed>;

const REVEALERS: Partial<Record<IdKind, Revealer>> = {
  payout: beneficiaryOf(payoutKind),
  ibanPayout: beneficiaryOf(ibanPayoutKind),
  exchangeWithdrawal: async (sql, keyring, id) => {
    const found = await readSituation(sql, exchangeWithdrawalKind, id, new Date());
    if (!found) throw notFound('withdrawal');
    const { tenantId, terms } = found.transfer;
    const data = await bankOf(sql, keyring, terms.destinationId);
    return { action: 'exchange_withdrawal.reveal', tenantId, data };
  },
  withdrawalDestination: async (sql, keyring, id) => {
    const { tenantId } = await requireDestination(sql, null, id);
    return { action: 'destination.reveal', tenantId, data: await bankOf(sql, keyring, id) };
  },
  cardholder: async (sql, _, id) => {
    const { userId, tenantId } = await requireCardholder(sql, null, id);
    const data = userId === null ? {} : await personOf(sql, await requireUser(sql, null, userId));
    return { action: 'cardholder.reveal', tenantId, data };
  },
  user: async (sql, _, id) => {
    const user = await requireUser(sql, null, id);
    return { action: 'user.reveal', tenantId: user.tenantId, data: await personOf(sql, user) };
  },
};

/** A person's present data, with the approved version if it differs. */
async function personOf(sql: Sql, user: User): Promise<object> {
  const kycApproved = await approvedToReveal(sql, user);
  return kycApproved ? { ...user.meta, kycApproved } : user.meta;
}

function beneficiaryOf(kind: PayoutKind): Revealer {
  return async (sql, keyring, id) => {
    const payout = await readSituation(sql, kind, id, new Date());
    if (!payout) throw notFound('payout');
    const data = await revealDestination(sql, keyring, kind, id);
    return { action: `${kind.name}.reveal`, tenantId: payout.transfer.tenantId, data };
  };
}

/**
 * Unmasks the personal data that a decision needs. The caller must commit who sees it, and why, to the audit log before
 * showing it.
 * @throws Problem 404; 400 for a record without masked data
 */
export function reveal(sql: Sql, keyring: Keyring, id: string): Promise<Revealed> {
  const kind = kindOfId(id);
  const revealer = kind && REVEALERS[kind];
  if (!revealer)
    throw invalid(
      'Only payouts, withdrawals from the exchange and their destinations, cardholders and users have something to reveal.',
      'reveal',
    );
  return revealer(sql, keyring, id);
}
