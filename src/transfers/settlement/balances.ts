import type { Sql } from '../../kernel/db/database';
import { everyInternalBalance } from '../../kernel/ledger/accounts';
import { allCurrencies } from '../../kernel/money/currencies';
import type { Decimal } from '../../kernel/money/money';
import { PARTY_ACCOUNTS, SETTLED_PARTIES, type SettledParty } from '../../kernel/parties';
import { lastReadings } from '../exchange/settlement/readings';
import { lastProcessorBalances } from './processor-balances';

/** The balance with a party in a currency. */
export interface PartyBalance {
  party: SettledParty;
  currency: string;
  /** The amount that the party owes us by our books. Negative where we owe the party. */
  booked: Decimal;
  /**
   * The balance that the party reported last, and its time. The exchange reports one, and a card processor may. The
   * processor's is less by the open holds of cards.
   */
  reported: Decimal | null;
  asOf: Date | null;
}

export interface PartyBalancesQuery {
  parties?: readonly SettledParty[] | undefined;
  currencies?: readonly string[] | undefined;
}

/** Lists the balances with parties that are not zero, by party and currency. */
export async function partyBalances(
  sql: Sql,
  { parties = SETTLED_PARTIES, currencies = allCurrencies() }: PartyBalancesQuery = {},
): Promise<PartyBalance[]> {
  const accounts = new Map(parties.map((party) => [PARTY_ACCOUNTS[party], party]));
  const books = await everyInternalBalance(sql, [...accounts.keys()], currencies);
  const reported = new Map<string, { reported: Decimal; asOf: Date }>();
  if (parties.includes('exchange'))
    for (const [currency, reading] of await lastReadings(sql, currencies))
      reported.set(`exchange ${currency}`, reading);
  if (parties.includes('cardProcessor'))
    for (const reading of await lastProcessorBalances(sql))
      reported.set(`cardProcessor ${reading.currency}`, reading);
  return books
    .map(({ name, currency, balance }) => {
      const party = accounts.get(name) as SettledParty;
      const reading = reported.get(`${party} ${currency}`);
      return {
        party,
        currency,
        booked: balance.negated(),
        reported: reading?.reported ?? null,
        asOf: reading?.asOf ?? null,
      };
    })
    .filter(({ booked, reported: said }) => !booked.isZero() || !(said ?? booked).isZero());
}
