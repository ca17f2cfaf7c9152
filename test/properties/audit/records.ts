import type { Database } from '../../../src/kernel/db/database';
import { Decimal } from '../../../src/kernel/money/money';
import type { World } from '../world';

/** Everything that is stored of a world, read in one snapshot, as the checks compare it. */
export interface Records {
  cards: CardRow[];
  accounts: AccountRow[];
  transactions: TransactionRow[];
  chains: ChainRow[];
  /** The entries of the world's cards and accounts. */
  entries: EntryRow[];
  events: EventRow[];
  /** What those postings put on internal accounts. */
  internals: InternalRow[];
  /** The limits of cards and users, and what is counted of them. */
  limits: LimitsRow[];
  spending: SpendingRow[];
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
  initial_amount: Decimal;
  issue_fee: Decimal;
}

/** A ledger account: of a card, of a user, or a master account. */
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

export async function readRecords(database: Database, world: World): Promise<Records> {
  return database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const of = [world.tenants];
    const [cards, accounts, transactions, chains, entries, events, internals, limits, spending] =
      await Promise.all([
        tx.query('select * from cards where tenant_id = any($1) order by id', of),
        tx.query('select * from ledger_accounts where tenant_id = any($1)', of),
        tx.query(
          `select * from card_transactions where card_id in (select id from cards where tenant_id = any($1))
          order by card_id, at, number`,
          of,
        ),
        tx.query(
          'select a.* from authorizations a join cards c on c.id = a.card_id where c.tenant_id = any($1)',
          of,
        ),
        tx.query(
          `select ${COLUMNS_OF_LEGS} from ledger_legs l join ledger_accounts a on a.id = l.account_id
          where a.tenant_id = any($1) order by l.account_id, l.number`,
          of,
        ),
        tx.query(
          'select tenant_id, event, data, idempotency_key from events where tenant_id = any($1) order by number',
          of,
        ),
        tx.query(
          `select posting_id, account_id, sum(available) as available from ledger_legs
          where number is null and posting_id in (select posting_id from ledger_legs l
                  join ledger_accounts a on a.id = l.account_id where a.tenant_id = any($1))
          group by posting_id, account_id`,
          of,
        ),
        tx.query(`select * from spending_limits where subject_id in (${SUBJECTS})`, of),
        tx.query(`select *, day::text as day from spending where subject_id in (${SUBJECTS})`, of),
      ]);
    return {
      cards: cards.map(withDecimals<CardRow>),
      accounts: accounts.map(withDecimals<AccountRow>),
      transactions: transactions.map(withDecimals<TransactionRow>),
      chains: chains.map(withDecimals<ChainRow>),
      entries: entries.map(withDecimals<EntryRow>),
      events: events as unknown as EventRow[],
      internals: internals.map(withDecimals<InternalRow>),
      limits: limits.map(withDecimals<LimitsRow>),
      spending: spending.map(withDecimals<SpendingRow>),
    };
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

/** What Postgres writes as digits is a number here. */
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
