import { type ExchangeRow, groupBy, type Records } from './records';

const KINDS = ['exchange_out', 'exchange_in', 'exchange_fee'];

/**
 * Checks that each exchange is one posting of its record's amounts, through the FX positions of both currencies, and
 * has used its quote. No account has an exchange entry without a record.
 */
export function auditExchanges(records: Records): string[] {
  const entries = groupBy(
    records.entries.filter(({ subtype }) => KINDS.includes(subtype ?? '')),
    ({ reference_id }) => reference_id,
  );
  const ids = new Set(records.exchanges.map(({ id }) => id));
  const wrong = records.exchanges.flatMap((exchange) => {
    const own = entries.get(exchange.id) ?? [];
    const postings = new Set(own.map(({ posting_id }) => posting_id));
    const booked = own.map((entry) => `${entry.account_id} ${entry.subtype} ${entry.available.toFixed()}`);
    const positions = records.internals
      .filter((row) => postings.has(row.posting_id) && row.account_id.startsWith('fx_position:'))
      .map((row) => `${row.account_id} ${row.available.toFixed()}`);
    const faults = [
      postings.size !== 1 && `is ${postings.size} postings`,
      String(booked.sort()) !== String(expected(exchange)) && `booked ${booked.join(', ')}`,
      String(positions.sort()) !== String(expectedPositions(exchange)) && `went by ${positions.join(', ')}`,
      exchange.used_by !== exchange.id && 'did not take its quote',
      !isExact(exchange) && 'lost a part of what was exchanged',
    ];
    return faults.filter((each) => each !== false).map((what) => `exchange ${exchange.id} ${what}`);
  });
  const unrecorded = [...entries.keys()].filter((reference) => !ids.has(reference));
  return [
    ...wrong,
    ...unrecorded.map((reference) => `${reference} is the reference of an exchange without a record`),
  ];
}

const exchanged = ({ sell_amount: sold, fee }: ExchangeRow) => sold.minus(fee);

const expected = (exchange: ExchangeRow): string[] => {
  const { from_account_id: from, to_account_id: to, fee, buy_amount: bought } = exchange;
  return [
    `${from} exchange_out ${exchanged(exchange).negated().toFixed()}`,
    `${to} exchange_in ${bought.toFixed()}`,
    ...(fee.isZero() ? [] : [`${from} exchange_fee ${fee.negated().toFixed()}`]),
  ].sort();
};

const expectedPositions = (exchange: ExchangeRow): string[] =>
  [
    `fx_position:${exchange.sell_currency} ${exchanged(exchange).toFixed()}`,
    `fx_position:${exchange.buy_currency} ${exchange.buy_amount.negated().toFixed()}`,
  ].sort();

const isExact = (exchange: ExchangeRow): boolean =>
  !exchange.remainder.isNegative() &&
  exchanged(exchange).times(exchange.rate).eq(exchange.buy_amount.plus(exchange.remainder));
