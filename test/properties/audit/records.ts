import type { Database } from '../../../src/kernel/db/database';
import { Decimal } from '../../../src/kernel/money/money';
import type { World } from '../world';

/** All stored records of a world, read in one snapshot. */
export interface Records {
  cards: CardRow[];
  accounts: AccountRow[];
  transactions: TransactionRow[];
  chains: ChainRow[];
  /** The entries of the world's cards and accounts. */
  entries: EntryRow[];
  events: EventRow[];
  /** The entries of the same postings on internal accounts. */
  internals: InternalRow[];
  /** The limits of cards and users, and the counted spending. */
  limits: LimitsRow[];
  spending: SpendingRow[];
  /** The operations of cards with buffers, and their quotes. */
  operations: OperationRow[];
  quotes: QuoteRow[];
  /** The exchanges between accounts, each with its quote. */
  exchanges: ExchangeRow[];
  /** Status changes in the histories of cards, in order. */
  changes: ChangeRow[];
}

export interface OperationRow {
  id: string;
  card_id: string;
  account_id: string;
  type: 'issue' | 'topup' | 'withdraw' | 'close';
  status: string;
  currency: string;
  principal: Decimal;
  buffer: Decimal;
  fee: Decimal;
  quote_id: string | null;
  result: (Record<string, string> & Record<`${'account' | 'card'}TransactionIds`, string[]>) | null;
  failure: { code: string } | null;
  idempotency_key: string;
}

export interface QuoteRow {
  id: string;
  terms: { principal: string; buffer: string; fee: string };
  used_by: string | null;
}

export interface ExchangeRow {
  id: string;
  /** The record that has used the quote with this id. */
  used_by: string | null;
  from_account_id: string;
  to_account_id: string;
  sell_currency: string;
  sell_amount: Decimal;
  fee: Decimal;
  buy_currency: string;
  buy_amount: Decimal;
  rate: Decimal;
  remainder: Decimal;
}

/** A status change of an operation, with its number among the entries of the card. */
export interface ChangeRow {
  account_id: string;
  number: Decimal;
  at: Date;
  record_id: string;
  status: string;
  previous_status: string | null;
}

export interface LimitsRow {
  subject_id: string;
  version: number;
  per_day: Decimal | null;
}

export interface SpendingRow {
  subject_id: string;
  currency: string;
  /** `2026-01-31` */
  day: string;
  amount: Decimal;
}

export interface CardRow {
  id: string;
  tenant_id: string;
  user_id: string;
  limited: boolean;
  account_id: string;
  master_account_id: string;
  bin: string;
  currency: string;
  status: string;
  freeze_reasons: string[];
  insufficient_asked: boolean;
  buffer_account_id: string | null;
  initial_amount: Decimal;
  issue_fee: Decimal;
}

/** A ledger account of a card or a user, or a master account. */
export interface AccountRow {
  id: string;
  kind: string;
  tenant_id: string;
  currency: string;
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
  entries: Decimal;
}

export interface TransactionRow {
  id: string;
  card_id: string;
  tenant_id: string;
  number: Decimal;
  at: Date;
  type: string;
  amount: Decimal;
  currency: string;
  billing_amount: Decimal;
  reference_id: string;
  linked_id: string | null;
  authorization_id: string | null;
  fee: Decimal;
  forced: boolean;
  decline_reason: string | null;
  source: string | null;
  merchant: { mcc?: string } | null;
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
}

export interface ChainRow {
  id: string;
  card_id: string;
  reference_id: string;
  currency: string;
  rate: Decimal;
  authorized: Decimal;
  settled: Decimal;
  reversed: Decimal;
  refunded: Decimal;
  billing_authorized: Decimal;
  billing_settled: Decimal;
  billing_reversed: Decimal;
  billing_refunded: Decimal;
  fee_held: Decimal;
  buffer_drawn: Decimal;
  expires_at: Date;
  created_at: Date;
  closed: boolean;
}

export interface EntryRow {
  posting_id: string;
  account_id: string;
  number: Decimal;
  at: Date;
  id: string | null;
  type: string;
  subtype: string | null;
  reference_id: string;
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
  balance_available: Decimal;
  balance_pending: Decimal;
  balance_spent: Decimal;
  forced: boolean;
}

export interface InternalRow {
  posting_id: string;
  /** `fees:USD` … */
  account_id: string;
  available: Decimal;
}

export interface EventRow {
  tenant_id: string;
  event: string;
  /** The exact text that is delivered. */
  data: string;
  idempotency_key: string | null;
}

const COLUMNS_OF_LEGS = `l.posting_id, l.account_id, l.number, l.at, l.id, l.type, l.subtype, l.reference_id, l.available,
  l.pending, l.spent, l.balance_available, l.balance_pending, l.balance_spent, l.forced`;

const SUBJECTS = `select id from cards where tenant_id = any($1) union select id from users where tenant_id = any($1)`;

/** Parameter `$1`: the tenants of the world. */
const STATEMENTS: Record<keyof Records, string> = {
  cards: 'select * from cards where tenant_id = any($1) order by id',
  accounts: 'select * from ledger_accounts where tenant_id = any($1)',
  transactions: `select * from card_transactions where card_id in (select id from cards where tenant_id = any($1))
    order by card_id, at, number`,
  chains: 'select a.* from authorizations a join cards c on c.id = a.card_id where c.tenant_id = any($1)',
  entries: `select ${COLUMNS_OF_LEGS} from ledger_legs l join ledger_accounts a on a.id = l.account_id
    where a.tenant_id = any($1) order by l.account_id, l.number`,
  events:
    'select tenant_id, event, whole_text(data) as data, idempotency_key from events where tenant_id = any($1) order by number',
  internals: `select posting_id, account_id, sum(available) as available from ledger_legs
    where number is null and posting_id in (select posting_id from ledger_legs l
            join ledger_accounts a on a.id = l.account_id where a.tenant_id = any($1))
    group by posting_id, account_id`,
  limits: `select * from spending_limits where subject_id in (${SUBJECTS})`,
  spending: `select *, day::text as day from spending where subject_id in (${SUBJECTS})`,
  operations: 'select * from card_operations where tenant_id = any($1) order by id',
  quotes: `select * from quotes where tenant_id = any($1) and kind <> 'account_exchange'`,
  exchanges: `select e.*, q.used_by from account_exchanges e left join quotes q on q.id = e.quote_id where e.tenant_id = any($1)`,
  changes: `select s.* from status_changes s join cards c on c.id = s.account_id where c.tenant_id = any($1)
    order by s.account_id, s.number`,
};

export async function readRecords(database: Database, world: World): Promise<Records> {
  return database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const read = async ([name, sql]: [string, string]) =>
      [name, (await tx.query(sql, [world.tenants])).map(withDecimals)] as const;
    return Object.fromEntries(await Promise.all(Object.entries(STATEMENTS).map(read))) as unknown as Records;
  });
}

const TEXTS = new Set([
  'posting_id',
  'bin',
  'reference',
  'data',
  'last4',
  'idempotency_key',
  'processor_reference',
]);

/** Converts numeric text of Postgres to Decimal. */
function withDecimals<Row>(row: Record<string, unknown>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && !TEXTS.has(name) && /^-?\d+(\.\d+)?$/.test(value)
        ? new Decimal(value)
        : value,
    ]),
  ) as Row;
}

/** Groups by a key, in the order given. */
export function groupBy<T>(list: T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
