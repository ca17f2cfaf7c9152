import { move } from '../../accounts/accounts/move';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { ensureInternalAccounts, internalBalance } from '../../kernel/ledger/accounts';
import { internalAccountId, internalEntry } from '../../kernel/ledger/entries';
import { PARTY_ACCOUNTS, type SettledParty } from '../../kernel/ledger/party-accounts';
import { formatAmount, maxOf, ZERO } from '../../kernel/money/money';
import { PARTY_NAMES } from '../../kernel/parties';
import { beforeExchangeMove } from '../exchange/settlement/before-move';
import { BOOKED, type SettlementMove } from './record';

/** The account that a decision on a party's settlement is about. */
export const settlementAccount = (party: SettledParty, currency: string): string =>
  internalAccountId(PARTY_ACCOUNTS[party], currency);

/**
 * Books what no transfer has moved at a party, in one posting. The caller decides whether it takes two operators, and writes the audit
 * log (src/operator/approvals/kinds.ts).
 * @throws Problem 409 `invalid_transition` for a write-off or surplus of more than stands there
 */
export async function moveSettlement(tx: Tx, given: SettlementMove, at: Date) {
  const { party, currency, amount, as } = given;
  const { other, isMore } = BOOKED[as];
  const referenceId = newId('reference');
  await ensureInternalAccounts(tx, currency);
  await (party === 'exchange' ? beforeExchangeMove(tx, given, at) : assertThere(tx, given));
  // What a party has of ours is below zero on its account, as all that we have elsewhere.
  const received = isMore ? amount.negated() : amount;
  const entries = [
    internalEntry(PARTY_ACCOUNTS[party], currency, received, referenceId),
    internalEntry(other, currency, received.negated(), referenceId),
  ];
  await move(tx, { entries }, {});
  return {
    ...{ referenceId, party: PARTY_NAMES[party], currency },
    ...{ amount: formatAmount(amount, currency), as },
  };
}

/**
 * Refuses a write-off of more than the party owes us, and a surplus of more than we owe it, by our books. The exchange says itself what it
 * has, so its own check judges that (`beforeExchangeMove`). The lock makes moves of one account wait for one another.
 */
async function assertThere(tx: Tx, { party, currency, amount, as }: SettlementMove): Promise<void> {
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
