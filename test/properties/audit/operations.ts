import { Decimal } from '../../../src/kernel/money/money';
import { type EventRow, groupBy, type OperationRow, type QuoteRow, type Records } from './records';

interface Told {
  id: string;
  type: string;
  subtype?: string;
  source?: string;
  amount: string;
  recordId?: string;
  status: string;
  previousStatus: string;
}

/** The account movements whose sum is the operation's amount. */
const SUMS = {
  principal: ['transfer/card_deposit', 'transfer/card_withdraw', 'transfer/card_closed_refund'],
  buffer: ['transfer/card_buffer_deposit', 'transfer/card_buffer_refund'],
  fee: ['fee/issue_fee', 'fee/topup_fee'],
  totalDebit: ['transfer/card_deposit', 'transfer/card_buffer_deposit', 'fee/issue_fee', 'fee/topup_fee'],
};

/** The possible status changes of an operation after `accepted`. */
const LIVES = ['', 'processing', 'completed', 'failed', 'processing completed', 'processing failed'];

/**
 * Checks that each operation names exactly its postings, which are the events under its key. A failed operation is in
 * no balance. An open operation is a hold.
 */
export function auditOperations(records: Records): string[] {
  const events = groupBy(records.events, ({ idempotency_key: key }) => key ?? '');
  const quotes = new Map(records.quotes.map((quote) => [quote.id, quote]));
  const wrong = records.operations.flatMap((operation) => {
    const told = (events.get(operation.idempotency_key) ?? []).map(read);
    const faults = [
      ...lifeFaults(operation, records),
      ...resultFaults(operation, told),
      ...quoteFaults(operation, quotes),
    ];
    return faults.map((what) => `${operation.type} ${operation.id} (${operation.status}) ${what}`);
  });
  const ids = new Set(records.operations.map(({ id }) => id));
  const lost = records.quotes.filter(({ used_by: by }) => by !== null && !ids.has(by));
  return [...wrong, ...lost.map(({ id }) => `quote ${id} was taken for nothing`)];
}

const read = ({ event, data }: EventRow) => ({ event, ...(JSON.parse(data) as Told) });

function lifeFaults({ id, status }: OperationRow, { changes, events }: Records): string[] {
  const own = changes.filter(({ record_id: of }) => of === id);
  const [first, ...later] = own.map((change) => change.status);
  const steps = own.map(({ previous_status: from, status: to }) => `${from}>${to}`);
  const expected = own.map((change, index) => `${own[index - 1]?.status ?? null}>${change.status}`);
  const told = events
    .filter(({ event, data }) => event === 'transfer.status_changed' && data.includes(id))
    .map(read)
    .map(({ previousStatus: from, status: to }) => `${from}>${to}`);
  return [
    (first !== 'accepted' || !LIVES.includes(later.join(' '))) &&
      `had the statuses ${first} ${later.join(' ')}`,
    own.at(-1)?.status !== status && 'has another status than its history',
    steps.join() !== expected.join() && `went [${steps.join()}]`,
    told.join() !== steps.slice(1).join() && `was told as [${told.join()}], not [${steps.slice(1).join()}]`,
  ].filter((what) => what !== false);
}

type Event = ReturnType<typeof read>;

function resultFaults({ type, status, result, failure, ...asked }: OperationRow, told: Event[]): string[] {
  const movements = told.filter(({ event }) => event === 'account_transaction');
  const onCard = told.filter(({ event }) => event === 'card_transaction');
  if (status !== 'completed') {
    // A card whose issuance failed returns the money that it received before.
    const returns = onCard.filter(({ source }) => source === 'closure' || source === 'negative_balance');
    const own =
      type === 'issue' && status === 'failed' ? onCard.length - returns.length : told.length - statuses(told);
    return [
      own > 0 && `left ${own} events`,
      result !== null && 'has a result',
      (failure !== null) !== (status === 'failed') && 'has another failure than its status says',
    ].filter((what) => what !== false);
  }
  if (result === null || failure !== null) return ['is completed without a result'];
  const sums = Object.entries(SUMS).flatMap(([name, kinds]) => {
    const sum = sumOf(movements.filter((line) => kinds.includes(`${line.type}/${line.subtype}`)));
    return sum.eq(new Decimal(String(result[name])))
      ? []
      : [`says ${name} ${result[name]}, told ${sum.toFixed()}`];
  });
  const terms = (['principal', 'buffer', 'fee'] as const).filter(
    (name) => type !== 'close' && !asked[name].eq(String(result[name])),
  );
  return [
    ...sums,
    ...terms.map((name) => `was to have ${name} ${asked[name].toFixed()}, has ${result[name]}`),
    ...differ('accountTransactionIds', result.accountTransactionIds, movements),
    ...differ('cardTransactionIds', result.cardTransactionIds, onCard),
  ];
}

const statuses = (told: Event[]) => told.filter(({ event }) => event === 'transfer.status_changed').length;

const sumOf = (lines: Event[]): Decimal =>
  lines.reduce((sum, { amount }) => sum.plus(new Decimal(amount)), new Decimal(0));

const differ = (name: string, ids: string[], told: Event[]): string[] =>
  [...ids].sort().join() ===
  told
    .map(({ id }) => id)
    .sort()
    .join()
    ? []
    : [`names other ${name} than were told`];

function quoteFaults(operation: OperationRow, quotes: Map<string, QuoteRow>): string[] {
  const isQuoted = operation.type === 'issue' || operation.type === 'topup';
  const quote = quotes.get(operation.quote_id ?? '');
  if (!isQuoted) return quote ? ['took a quote'] : [];
  if (quote?.used_by !== operation.id) return ['took a quote that is not its own'];
  const { terms } = quote;
  return (['principal', 'buffer', 'fee'] as const)
    .filter((name) => !operation[name].eq(terms[name]))
    .map((name) => `was quoted ${name} ${terms[name]}, not ${operation[name].toFixed()}`);
}
