import { move } from '../../accounts/accounts/move';
import type { Sql, Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { ensureInternalAccounts, internalBalance } from '../../kernel/ledger/accounts';
import { internalAccountId, internalEntry } from '../../kernel/ledger/entries';
import { type Decimal, formatAmount, maxOf, ZERO } from '../../kernel/money/money';
import { PARTY_ACCOUNTS, PARTY_NAMES, type SettledParty } from '../../kernel/parties';
import { assertExchangeMove, beforeExchangeMove } from '../exchange/settlement/before-move';
import { BOOKED, type SettlementMove } from './record';

/** The internal account that a settlement decision changes. */
export const settlementAccount = (party: SettledParty, currency: string): string =>
  internalAccountId(PARTY_ACCOUNTS[party], currency);

/**
 * Books money that moved at a party outside of transfers, in one posting. The caller checks approval and writes the
 * audit log.
 * @throws Problem 409 `invalid_transition` for a write-off or surplus above the balance
 */
export async function moveSettlement(tx: Tx, given: SettlementMove, at: Date) {
  const { party, currency, amount, as } = given;
  const { other, isMore } = BOOKED[as];
  const referenceId = newId('reference');
  await ensureInternalAccounts(tx, currency);
  await (party === 'exchange' ? beforeExchangeMove(tx, given, at) : lockBookedBalance(tx, given));
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
 * Judges a move by the present balance. Changes nothing.
 * @returns what the party owes us by our books, before and after the move
 * @throws Problem as {@link moveSettlement}
 */
export async function assertMovable(
  sql: Sql,
  given: SettlementMove,
  at: Date,
): Promise<{ booked: Decimal; then: Decimal }> {
  const { party, currency, amount, as } = given;
  await (party === 'exchange' ? assertExchangeMove(sql, given, at) : assertBookedBalance(sql, given));
  const booked = (await internalBalance(sql, PARTY_ACCOUNTS[party], currency)).negated();
  return { booked, then: BOOKED[as].isMore ? booked.plus(amount) : booked.minus(amount) };
}

/** The lock serialises moves of one account. */
async function lockBookedBalance(tx: Tx, move: SettlementMove): Promise<void> {
  // Raw: an advisory lock, because no transfer may wait for the row of an internal account.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 155))', [
    settlementAccount(move.party, move.currency),
  ]);
  await assertBookedBalance(tx, move);
}

/**
 * Rejects a write-off above what the party owes us, and a surplus above what we owe it, by our books. The exchange has
 * its own check (`beforeExchangeMove`), because it reports a balance.
 */
async function assertBookedBalance(sql: Sql, { party, currency, amount, as }: SettlementMove): Promise<void> {
  if (as !== 'write-off' && as !== 'surplus') return;
  const received = await internalBalance(sql, PARTY_ACCOUNTS[party], currency);
  const most = maxOf(ZERO, as === 'surplus' ? received : received.negated());
  if (amount.lte(most)) return;
  const whose = as === 'surplus' ? 'We owe the party' : 'The party owes us';
  throw conflict(
    'invalid_transition',
    `${whose} only ${formatAmount(most, currency)} ${currency} by our books.`,
  );
}
