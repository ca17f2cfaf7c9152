import type { Sql } from '../../kernel/db/database';
import { internalBalances } from '../../kernel/ledger/accounts';
import { allCurrencies } from '../../kernel/money/currencies';
import { Decimal, maxOf, minOf, ZERO } from '../../kernel/money/money';
import { isCountable } from '../../parties/protocol/answers';
import { forgetBalances, lastBalances, noteBalance } from '../../process/reported-balances';
import type { Services } from '../../services';

type Deps = Pick<Services, 'database' | 'parties' | 'switches' | 'now' | 'settlementDifferenceSeconds'>;

/** Break: the processor's balance has differed from our books for `SETTLEMENT_DIFFERENCE_SECONDS`. */
export const DIFFERS = 'processor_balance_differs';

const SHOWN = { kind: DIFFERS, under: 'card-processor:' };

/**
 * Compares the balances that pay for cards with our books, where the card processor reports them. A processor holds
 * authorizations out of the balance, so the open holds of cards are subtracted from its debt. Books nothing.
 * Idempotent.
 * @throws PartyAway retry
 */
export async function readProcessorBalances(services: Deps): Promise<void> {
  const { database, parties, switches, now, settlementDifferenceSeconds } = services;
  const { cardProcessor } = parties;
  if (!('balances' in cardProcessor) || (await switches.party('cardProcessor')) === 'left_out')
    return database.transaction((tx) =>
      forgetBalances(tx, { parties: ['cardProcessor'], compared: [], shown: SHOWN, at: now() }),
    );
  const before = await bookedBalances(database);
  const said = await cardProcessor.balances?.();
  if (!said) return;
  const after = await bookedBalances(database);
  const reported = new Map(
    said.balances.filter(isCountable).map(({ currency, amount }) => [currency, amount]),
  );
  const known = (await lastBalances(database)).filter(({ party }) => party === 'cardProcessor');
  const currencies = [reported, before, after].flatMap((each) => [...each.keys()]);
  for (const currency of new Set([...currencies, ...known.map((each) => each.currency)])) {
    const balance = reported.get(currency) ?? ZERO;
    const [one, other] = [before.get(currency) ?? ZERO, after.get(currency) ?? ZERO];
    const reading = {
      party: 'cardProcessor' as const,
      currency,
      readAt: now(),
      asOf: said.asOf,
      reported: balance,
      booked: nearest(balance, one, other),
    };
    const windowMs = settlementDifferenceSeconds * 1_000;
    await database.transaction((tx) => noteBalance(tx, reading, { ...SHOWN, windowMs }));
  }
}

/** The books' balance while the processor was asked, as near to the reported one as it has been. Purchases go on meanwhile. */
const nearest = (reported: Decimal, one: Decimal, other: Decimal): Decimal =>
  minOf(maxOf(reported, minOf(one, other)), maxOf(one, other));

/** The processor's debt to us, less the open holds of cards, by currency. */
async function bookedBalances(sql: Sql): Promise<Map<string, Decimal>> {
  const owed = await internalBalances(sql, 'card_network', allCurrencies());
  // Raw: reads every card twice in five minutes. An index on holds would cost each authorization more.
  const holds = await sql.query<{ currency: string; held: string }>(
    `select currency, sum(pending)::text as held from ledger_accounts
      where kind = 'card' and pending <> 0 group by currency`,
  );
  const booked = new Map([...owed].map(([currency, balance]) => [currency, balance.negated()]));
  for (const { currency, held } of holds)
    booked.set(currency, (booked.get(currency) ?? ZERO).minus(new Decimal(held)));
  return booked;
}
