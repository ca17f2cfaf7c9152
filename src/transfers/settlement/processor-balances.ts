import type { Sql } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import { internalBalances } from '../../kernel/ledger/accounts';
import { allCurrencies } from '../../kernel/money/currencies';
import { Decimal, ZERO } from '../../kernel/money/money';
import { isCountable } from '../../parties/protocol/answers';
import { openBreaksOf, syncBreaks } from '../../process/breaks/operations';
import type { Services } from '../../services';

/** The balance that pays for cards in a currency, as the processor reported it last, with our books. */
export interface ProcessorBalance {
  currency: string;
  reported: Decimal;
  /** The balance by our books. */
  booked: Decimal;
  asOf: Date;
  /** Null: both were equal. */
  differsSince: Date | null;
}

type Deps = Pick<Services, 'database' | 'parties' | 'switches' | 'now' | 'settlementDifferenceSeconds'>;

/** Break: the processor's balance has differed from our books for `SETTLEMENT_DIFFERENCE_SECONDS`. */
export const DIFFERS = 'processor_balance_differs';

const balances = recordTable<ProcessorBalance>('processor_balances', { reported: decimal, booked: decimal });

export const lastProcessorBalances = (sql: Sql): Promise<ProcessorBalance[]> =>
  balances.all(sql, balances().orderBy('currency'));

/**
 * Compares the balances that pay for cards with our books, where the card processor reports them. A processor holds
 * authorizations out of the balance, so the open holds of cards are subtracted from its debt. Books nothing.
 * Idempotent.
 * @throws PartyAway retry
 */
export async function readProcessorBalances(services: Deps): Promise<void> {
  const { database, parties, switches } = services;
  const { cardProcessor } = parties;
  if (!('balances' in cardProcessor) || (await switches.party('cardProcessor')) === 'left_out') return;
  const said = await cardProcessor.balances?.();
  if (!said) return;
  const reported = new Map(
    said.balances.filter(isCountable).map(({ currency, amount }) => [currency, amount]),
  );
  const booked = await bookedBalances(database);
  const before = new Map((await lastProcessorBalances(database)).map((each) => [each.currency, each]));
  for (const currency of new Set([...reported.keys(), ...booked.keys(), ...before.keys()]))
    await keep(services, before.get(currency), {
      currency,
      reported: reported.get(currency) ?? ZERO,
      booked: booked.get(currency) ?? ZERO,
      asOf: said.asOf,
    });
}

/** The processor's debt to us, less the open holds of cards, by currency. */
async function bookedBalances(sql: Sql): Promise<Map<string, Decimal>> {
  const owed = await internalBalances(sql, 'card_network', allCurrencies());
  // Raw: reads every card once in five minutes. An index on holds would cost each authorization more.
  const holds = await sql.query<{ currency: string; held: string }>(
    `select currency, sum(pending)::text as held from ledger_accounts
      where kind = 'card' and pending <> 0 group by currency`,
  );
  const booked = new Map([...owed].map(([currency, balance]) => [currency, balance.negated()]));
  for (const { currency, held } of holds)
    booked.set(currency, (booked.get(currency) ?? ZERO).minus(new Decimal(held)));
  return booked;
}

/** Stores a reading. A difference that changes its side is a new one, because movements under way differ both ways. */
async function keep(
  { database, now, settlementDifferenceSeconds }: Deps,
  before: ProcessorBalance | undefined,
  read: Omit<ProcessorBalance, 'differsSince'>,
): Promise<void> {
  const { currency, asOf } = read;
  const difference = read.reported.minus(read.booked);
  const former = before ? before.reported.minus(before.booked) : ZERO;
  const lasts = difference.times(former).gt(0) ? before?.differsSince : undefined;
  const differsSince = difference.isZero() ? null : (lasts ?? asOf);
  const at = now();
  const isShown =
    differsSince !== null && differsSince.getTime() <= at.getTime() - settlementDifferenceSeconds * 1_000;
  const subject = `card-processor:${currency}`;
  const shown = {
    kind: DIFFERS,
    detail: `${currency}, since ${differsSince?.toISOString()}`,
    amount: difference,
    currency,
  };
  await database.transaction(async (tx) => {
    await tx.run(
      balances()
        .insert(balances.row({ ...read, differsSince }))
        .onConflict('currency')
        .merge(['reported', 'booked', 'as_of', 'differs_since']),
    );
    const open = await openBreaksOf(tx, subject);
    await syncBreaks(tx, { tenantId: null, subject, open, wanted: isShown ? [shown] : [], notices: [], at });
  });
}
