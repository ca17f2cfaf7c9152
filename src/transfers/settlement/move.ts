import { move } from '../../accounts/accounts/move';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { ensureInternalAccounts, internalBalance } from '../../kernel/ledger/accounts';
import { internalAccountId, internalEntry } from '../../kernel/ledger/entries';
import { formatAmount, maxOf, ZERO } from '../../kernel/money/money';
import { PARTY_ACCOUNTS, PARTY_NAMES, type SettledParty } from '../../kernel/parties';
import { beforeExchangeMove } from '../exchange/settlement/before-move';
import { BOOKED, type SettlementMove } from './record';

/** The internal account that a settlement decision changes. */
export const settlementAccount = (party: SettledParty, currency: string): string =>
  internalAccountId(PARTY_ACCOUNTS[party], currency);

/**
 * Books money that moved at a party outside of transfers, in one posting. The caller checks approval and writes the
 * audit log (src/operator/approvals/kinds.ts).
 * @throws Problem 409 `invalid_transition` for a write-off or surplus above the balance
 */
export async function moveSettlement(tx: Tx, given: SettlementMove, at: Date) {
  const { party, currency, amount, as } = given;
  const { other, isMore } = BOOKED[as];
  const referenceId = newId('reference');
  await ensureInternalAccounts(tx, currency);
  await (party === 'exchange' ? beforeExchangeMove(tx, given, at) : assertBookedBalance(tx, given));
  // The party's account is negative by the money that the party has of ours.
  const received = isMore ? amount.negated() : amount;
  const entries = [
    internalEntry(PARTY_ACCOUNTS[party], currency, received, referenceId),
    internalEntry(other, currency, received.negated(), referenceId),
  ];
  await move(tx, { entries }, {});
  return {
    referenceId,
    party: PARTY_NAMES[party],
    currency,
    amount: formatAmount(amount, currency),
    as,
  };
}

/**
 * Rejects a write-off above what the party owes us, and a surplus above what we owe it, by our books. The lock
 * serialises moves of one account. The exchange has its own check (`beforeExchangeMove`), because it reports a
 * balance.
 */
async function assertBookedBalance(tx: Tx, { party, currency, amount, as }: SettlementMove): Promise<void> {
  // Raw: an advisory lock, because no transfer may wait for the row of an internal account.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 155))', [
    settlementAccount(party, currency),
  ]);
  if (as !== 'write-off' && as !== 'surplus') return;
  const received = await internalBalance(tx, PARTY_ACCOUNTS[party], currency);
  const most = maxOf(ZERO, as === 'surplus' ? received : received.negated());
  if (amount.lte(most)) return;
  const whose = as === 'surplus' ? 'We owe the party' : 'The party owes us';
  throw conflict(
    'invalid_transition',
    `${whose} only ${formatAmount(most, currency)} ${currency} by our books.`,
  );
}
