import type { Sql } from '../../kernel/db/database';
import { everyInternalBalance } from '../../kernel/ledger/accounts';
import { PARTY_ACCOUNTS, SETTLED_PARTIES, type SettledParty } from '../../kernel/ledger/party-accounts';
import { CURRENCIES } from '../../kernel/money/currencies';
import type { Decimal } from '../../kernel/money/money';
import { lastReadings } from '../exchange/settlement/readings';

/** What stands at a party in a currency. */
export interface PartyBalance {
  party: SettledParty;
  currency: string;
  /** By our books the party owes us that, or has it of ours; below zero where we owe the party. */
  booked: Decimal;
  /** What the party itself reported last, and when: the exchange alone reports it. */
  reported: Decimal | null;
  asOf: Date | null;
}

export interface PartyBalancesQuery {
  parties?: readonly SettledParty[] | undefined;
  currencies?: readonly string[] | undefined;
}

/** What each party owes us, where that is not zero: in the order of the parties, then by currency. */
export async function partyBalances(
  sql: Sql,
  { parties = SETTLED_PARTIES, currencies = CURRENCIES }: PartyBalancesQuery = {},
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
