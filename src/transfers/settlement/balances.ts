import type { Sql } from '../../kernel/db/database';
import { everyInternalBalance } from '../../kernel/ledger/accounts';
import { allCurrencies } from '../../kernel/money/currencies';
import type { Decimal } from '../../kernel/money/money';
import { PARTY_ACCOUNTS, SETTLED_PARTIES, type SettledParty } from '../../kernel/parties';
import { lastReadings } from '../exchange/settlement/readings';

/** The balance with a party in a currency. */
export interface PartyBalance {
  party: SettledParty;
  currency: string;
  /** The amount that the party owes us by our books. Negative where we owe the party. */
  booked: Decimal;
  /** The balance that the party reported last, and its time. Only the exchange reports one. */
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
  const readings = parties.includes('exchange') ? await lastReadings(sql, currencies) : undefined;
  return books
    .map(({ name, currency, balance }) => {
      const party = accounts.get(name) as SettledParty;
      const reading = party === 'exchange' ? readings?.get(currency) : undefined;
      const [reported, asOf] = [reading?.reported ?? null, reading?.asOf ?? null];
      return { party, currency, booked: balance.negated(), reported, asOf };
    })
    .filter(({ booked, reported }) => !booked.isZero() || !(reported ?? booked).isZero());
}
