import type { Tx } from '../../kernel/db/database';
import type { OperationKey } from '../../kernel/idempotency';
import { newId } from '../../kernel/ids';
import { accountEntry, internalEntry, type PostedEntry, type Posting } from '../../kernel/ledger/entries';
import { lockQuote, takeQuote } from '../../process/quotes/operations';
import { assertFundable } from '../accounts/internal-transfer';
import { move } from '../accounts/move';
import { assertAccountOpen, requireAccount } from '../accounts/operations';
import type { Account } from '../accounts/record';
import { type AccountExchange, exchangedAmount, quotedTerms } from './record';
import { insertExchange } from './store';

export { findExchange } from './store';

export interface Exchanged {
  exchange: AccountExchange;
  /** `transfer/exchange_out`, `fee/exchange_fee` unless it is zero, `transfer/exchange_in`. */
  entries: PostedEntry[];
}

/**
 * Takes a quote and exchanges its amounts in one posting through the FX position. Locks: the quote, then the accounts.
 * @throws Problem 404 `quoteId`; 409 `quote_used`, `quote_expired`, `account_closed`, `user_blocked` (a blocked user
 * cannot be funded), `insufficient_funds`, in this order; a refusal leaves the quote unused
 */
export async function exchange(
  tx: Tx,
  from: Account,
  quoteId: string,
  key: OperationKey,
  at: Date,
): Promise<Exchanged> {
  const id = newId('accountExchange');
  const { id: fromAccountId, tenantId } = from;
  const quote = await lockQuote(tx, {
    tenantId,
    accountId: fromAccountId,
    quoteId,
    kind: 'account_exchange',
  });
  takeQuote(tx, quote, { usedBy: id, at });
  const terms = quotedTerms.parse(quote.terms);
  const to = await requireAccount(tx, tenantId, terms.toAccountId);
  await assertAccountOpen(tx, from);
  await assertFundable(tx, to, 'quoteId');
  const made = { ...terms, id, tenantId, quoteId, fromAccountId };
  const entries = await move(tx, postingOf(made), { idempotencyKey: key.idempotencyKey, field: 'quoteId' });
  const done: AccountExchange = { ...made, createdAt: entries[0]?.at ?? at };
  await insertExchange(tx, done, key);
  return { exchange: done, entries: entries.filter(({ listed }) => listed) };
}

/**
 * The posting of an exchange. Both sides pass through the FX position, each in its currency. The rounding remainder
 * stays there, always in its favour.
 */
function postingOf(made: Omit<AccountExchange, 'createdAt'>): Posting {
  const { id, fromAccountId, toAccountId, sellCurrency, buyCurrency, buyAmount, fee } = made;
  const exchanged = exchangedAmount(made);
  const charged = [
    accountEntry(fromAccountId, 'fee/exchange_fee', fee, id),
    internalEntry('fees', sellCurrency, fee, id),
  ];
  return {
    entries: [
      accountEntry(fromAccountId, 'transfer/exchange_out', exchanged, id),
      internalEntry('fx_position', sellCurrency, exchanged, id),
      ...(fee.isZero() ? [] : charged),
      internalEntry('fx_position', buyCurrency, buyAmount.negated(), id),
      accountEntry(toAccountId, 'transfer/exchange_in', buyAmount, id),
    ],
  };
}
