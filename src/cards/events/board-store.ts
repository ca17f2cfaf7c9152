import type { Sql } from '../../kernel/db/database';
import { compositeArray, type Write } from '../../kernel/db/writes';
import { unavailable } from '../../kernel/errors';
import { bookOf } from '../../kernel/ledger/book';
import { Decimal } from '../../kernel/money/money';
import { eventsWrite } from '../../kernel/outbox/events';
import type { Rates } from '../../parties/rates/port';
import { cardStatesWrite, lockCardAccounts, lockCards } from '../cards/operations';
import type { Card } from '../cards/record';
import type { Programmes } from '../programmes/cache';
import { type CardTransaction, type Chain, type Message, remaining } from './record';
import { type Board, createBoard, type Outcome } from './rules/board';

export interface EngineDeps {
  programmes: Programmes;
  parties: { rates: Rates };
}

/**
 * Locks everything that the messages are about, in the one order (cards, then ledger accounts with the masters last), and
 * reads it. All of it travels in one round trip; what is read comes after the lock that guards it.
 */
export async function loadBoard(
  tx: Sql,
  deps: EngineDeps,
  messages: Message[],
): Promise<Board & { outcome(): Outcome }> {
  const cardIds = [...new Set(messages.map((message) => message.cardId))];
  const references = messages.flatMap((message) =>
    'referenceId' in message && message.referenceId ? [message.referenceId] : [],
  );
  const expiring = messages.flatMap((message) =>
    message.type === 'expire' ? [message.authorizationId] : [],
  );
  const [cards, { accounts, now }, chains] = await Promise.all([
    lockCards(tx, cardIds),
    lockCardAccounts(tx, cardIds),
    readChains(tx, cardIds, references, expiring),
  ]);
  const programmes = await deps.programmes.of(tx, [...new Set([...cards.values()].map((card) => card.bin))]);
  const rates = await ratesFor(deps.parties.rates, messages, cards);
  return createBoard({
    book: bookOf(accounts, now),
    cards,
    programmes,
    chains: [...new Map(chains.map(({ chain }) => [chain.id, chain])).values()],
    references: new Map(chains.map(({ reference, chain }) => [`${chain.cardId} ${reference}`, chain.id])),
    rate(currency, billingCurrency) {
      const rate = rates.get(`${currency} ${billingCurrency}`);
      if (!rate) throw unavailable(`There is no fresh rate from ${currency} to ${billingCurrency}.`);
      return rate;
    },
  });
}

/** The middle rates that foreign messages need; a pair without a fresh one is left out and refuses only its messages. */
async function ratesFor(
  rates: Rates,
  messages: Message[],
  cards: Map<string, Card>,
): Promise<Map<string, Decimal>> {
  const pairs = new Map<string, [string, string]>();
  for (const message of messages) {
    const own = cards.get(message.cardId)?.currency;
    if (!('currency' in message) || !message.currency || !own || message.currency === own) continue;
    pairs.set(`${message.currency} ${own}`, [message.currency, own]);
  }
  const found = new Map<string, Decimal>();
  for (const [pair, [from, to]] of pairs) {
    const rate = await rates.rate(from, to).catch(() => undefined);
    if (rate) found.set(pair, rate.mid);
  }
  return found;
}

const CHAIN_COLUMNS = `a.id, a.card_id, a.reference_id, a.currency, a.billing_currency, a.rate, a.authorized, a.settled,
  a.reversed, a.refunded, a.billing_authorized, a.billing_settled, a.billing_reversed, a.billing_refunded, a.fee_percent,
  a.fee_held, a.last_settle_id, a.expires_at, a.created_at`;

interface ChainRow {
  reference: string;
  id: string;
  card_id: string;
  reference_id: string;
  currency: string;
  billing_currency: string;
  rate: string;
  authorized: string;
  settled: string;
  reversed: string;
  refunded: string;
  billing_authorized: string;
  billing_settled: string;
  billing_reversed: string;
  billing_refunded: string;
  fee_percent: string;
  fee_held: string;
  last_settle_id: string | null;
  expires_at: Date;
  created_at: Date;
}

/** The chains that have one of the references on one of the cards, and those named by id. */
async function readChains(tx: Sql, cardIds: string[], references: string[], ids: string[]) {
  if (references.length + ids.length === 0) return [];
  const rows = await tx.prepared<ChainRow>(
    'chains-read',
    `select t.reference_id as reference, ${CHAIN_COLUMNS}
       from card_transactions t join authorizations a on a.id = t.authorization_id
      where t.reference_id = any($2) and t.card_id = any($1)
     union all
     select a.reference_id, ${CHAIN_COLUMNS} from authorizations a where a.id = any($3) and a.card_id = any($1)`,
    [cardIds, references, ids],
  );
  return rows.map((row) => ({ reference: row.reference, chain: chainOf(row) }));
}

export async function findChain(sql: Sql, id: string): Promise<Chain | undefined> {
  const [row] = await sql.query<ChainRow>(
    `select a.reference_id as reference, ${CHAIN_COLUMNS} from authorizations a where a.id = $1`,
    [id],
  );
  return row && chainOf(row);
}

function chainOf(row: ChainRow): Chain {
  return {
    id: row.id,
    cardId: row.card_id,
    referenceId: row.reference_id,
    currency: row.currency,
    billingCurrency: row.billing_currency,
    rate: new Decimal(row.rate),
    own: countersOf([row.authorized, row.settled, row.reversed, row.refunded]),
    billing: countersOf([
      row.billing_authorized,
      row.billing_settled,
      row.billing_reversed,
      row.billing_refunded,
    ]),
    feePercent: new Decimal(row.fee_percent),
    feeHeld: new Decimal(row.fee_held),
    lastSettleId: row.last_settle_id,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}

function countersOf([authorized, settled, reversed, refunded]: [string, string, string, string]) {
  return {
    authorized: new Decimal(authorized),
    settled: new Decimal(settled),
    reversed: new Decimal(reversed),
    refunded: new Decimal(refunded),
  };
}

/** What writes all that happened on a board; {@link tellWhenCommitted} is the caller's. */
export function boardWrites(board: Board & { outcome(): Outcome }): (Write | undefined)[] {
  const { transactions, events, chains, cards } = board.outcome();
  return [
    transactionsWrite(transactions),
    chainsWrite(chains, board.book.at),
    cardStatesWrite(cards),
    eventsWrite(events),
    board.book.written(),
  ];
}

function transactionsWrite(transactions: CardTransaction[]): Write | undefined {
  if (transactions.length === 0) return undefined;
  return {
    name: 'card-transactions',
    statement: `insert into card_transactions (id, card_id, tenant_id, number, at, type, amount, currency, billing_amount,
        billing_currency, reference_id, linked_id, authorization_id, fee, forced, decline_reason, source, merchant,
        available, pending, spent)
      select * from unnest($1::new_card_transaction[])`,
    values: [compositeArray(transactions.map(transactionRow))],
  };
}

/** In the order of `new_card_transaction`. */
function transactionRow(transaction: CardTransaction) {
  return [
    transaction.id,
    transaction.cardId,
    transaction.tenantId,
    transaction.number,
    transaction.at,
    transaction.type,
    transaction.amount.toFixed(),
    transaction.currency,
    transaction.billingAmount.toFixed(),
    transaction.billingCurrency,
    transaction.referenceId,
    transaction.linkedId,
    transaction.authorizationId,
    transaction.fee.toFixed(),
    transaction.forced,
    transaction.declineReason,
    transaction.source,
    transaction.merchant && JSON.stringify(transaction.merchant),
    transaction.available.toFixed(),
    transaction.pending.toFixed(),
    transaction.spent.toFixed(),
  ];
}

function chainsWrite(chains: Chain[], at: Date): Write | undefined {
  if (chains.length === 0) return undefined;
  return {
    name: 'chains',
    statement: `insert into authorizations (id, card_id, reference_id, currency, billing_currency, rate, authorized, settled,
        reversed, refunded, billing_authorized, billing_settled, billing_reversed, billing_refunded, fee_percent, fee_held,
        last_settle_id, expires_at, closed, created_at, updated_at)
      select * from unnest($1::new_authorization[])
      on conflict (id) do update set
        authorized = excluded.authorized, settled = excluded.settled, reversed = excluded.reversed,
        refunded = excluded.refunded, billing_authorized = excluded.billing_authorized,
        billing_settled = excluded.billing_settled, billing_reversed = excluded.billing_reversed,
        billing_refunded = excluded.billing_refunded, fee_held = excluded.fee_held,
        last_settle_id = excluded.last_settle_id, closed = excluded.closed, updated_at = excluded.updated_at`,
    values: [compositeArray(chains.map((chain) => chainRow(chain, at)))],
  };
}

/** In the order of `new_authorization`. */
function chainRow(chain: Chain, at: Date) {
  const { own, billing } = chain;
  return [
    chain.id,
    chain.cardId,
    chain.referenceId,
    chain.currency,
    chain.billingCurrency,
    chain.rate.toFixed(),
    own.authorized.toFixed(),
    own.settled.toFixed(),
    own.reversed.toFixed(),
    own.refunded.toFixed(),
    billing.authorized.toFixed(),
    billing.settled.toFixed(),
    billing.reversed.toFixed(),
    billing.refunded.toFixed(),
    chain.feePercent.toFixed(),
    chain.feeHeld.toFixed(),
    chain.lastSettleId,
    chain.expiresAt,
    remaining(own).isZero(),
    chain.createdAt,
    at,
  ];
}
