import type { Sql } from '../../kernel/db/database';
import { everyInternalBalance } from '../../kernel/ledger/accounts';
import { allCurrencies } from '../../kernel/money/currencies';
import { type Decimal, ZERO } from '../../kernel/money/money';
import { PARTY_ACCOUNTS, SETTLED_PARTIES, type SettledParty } from '../../kernel/parties';
import { type BalanceReading, lastBalances } from '../../process/reported-balances';
import { lastReadings } from '../exchange/settlement/readings';

/** The balance with a party in a currency. */
export interface PartyBalance {
  party: SettledParty;
  currency: string;
  /** The amount that the party owes us by our books. Negative where we owe the party. */
  booked: Decimal;
  /**
   * The balance that the party reported last, and its time. The exchange reports one, and so may the card processor and a
   * bank by files. The processor's is less by the open holds of cards. A bank's account serves payments in and out, so its
   * balance stands with one of both parties.
   */
  reported: Decimal | null;
  /** The reported balance less the books at that reading: less open holds, and of both parties of a bank by files. */
  difference: Decimal | null;
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
  const reported = new Map<string, Reported>();
  if (parties.includes('exchange'))
    for (const [currency, reading] of await lastReadings(sql, currencies))
      reported.set(`exchange ${currency}`, reading);
  for (const reading of await lastBalances(sql))
    reported.set(`${reading.party} ${reading.currency}`, reading);
  const booked = new Map(
    books.map(({ name, currency, balance }) => [`${accounts.get(name)} ${currency}`, balance.negated()]),
  );
  // A party may report a balance in a currency that the books do not have yet.
  return parties
    .flatMap((party) => currencies.map((currency) => balanceOf({ party, currency }, { booked, reported })))
    .filter((each) =>
      [each.booked, each.reported, each.difference].some((amount) => !(amount ?? ZERO).isZero()),
    );
}

function balanceOf(
  of: Pick<PartyBalance, 'party' | 'currency'>,
  given: { booked: ReadonlyMap<string, Decimal>; reported: ReadonlyMap<string, Reported> },
): PartyBalance {
  const key = `${of.party} ${of.currency}`;
  const reading = given.reported.get(key);
  return {
    ...of,
    booked: given.booked.get(key) ?? ZERO,
    reported: reading?.reported ?? null,
    difference: reading ? reading.reported.minus(reading.booked) : null,
    asOf: reading?.asOf ?? null,
  };
}

/** A reading of the exchange, or of another party. */
type Reported = Pick<BalanceReading, 'reported' | 'booked' | 'asOf'>;
