import type { Sql } from '../../../kernel/db/database';
import { unavailable } from '../../../kernel/errors';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import { isCountable } from '../../../parties/protocol/answers';
import { openBreaksOf, syncBreaks } from '../../../process/breaks/operations';
import { PartyAway } from '../../../process/party-errors';
import type { Services } from '../../../services';
import { UNREADABLE } from '../../engine/breaks';

/** Of what the exchange holds as a whole: what its breaks are about. */
export const SUBJECT = 'settlement';

/** What the exchange says that it holds of ours. */
export interface SaidBalances {
  asOf: Date;
  /** A currency that is not among them, nor of the unreadable ones, is zero. */
  balances: ReadonlyMap<string, Decimal>;
  /** Of what it says of these nothing can be made: no currency of ours, or an amount that the currency has not. */
  unreadable: readonly string[];
}

/** What the exchange says now that it holds of ours. @throws Problem 503 while it cannot be asked, or read */
export async function readBalances(services: Pick<Services, 'parties'>): Promise<SaidBalances> {
  try {
    return await askBalances(services);
  } catch (error) {
    throw error instanceof PartyAway ? unavailable('The exchange cannot be asked just now.') : error;
  }
}

/** @throws PartyAway; UnreadableAnswer for an answer of another shape */
export async function askBalances({ parties }: Pick<Services, 'parties'>): Promise<SaidBalances> {
  const { asOf, balances } = await parties.exchange.balances();
  const [readable, others] = [balances.filter(isCountable), balances.filter((each) => !isCountable(each))];
  return {
    asOf,
    balances: new Map(readable.map(({ currency, amount }) => [currency, amount])),
    unreadable: others.map(({ currency }) => currency),
  };
}

/** @throws Problem 503 where nothing can be made of what it says of that currency */
export function balanceOf({ balances, unreadable }: SaidBalances, currency: string): Decimal {
  if (unreadable.includes(currency))
    throw unavailable(`The exchange’s balance of ${currency} cannot be read.`);
  return balances.get(currency) ?? ZERO;
}

/** Shows the currencies of which nothing can be made, and those no more of which something can. */
export async function showUnreadable(sql: Sql, { unreadable }: SaidBalances, at: Date): Promise<void> {
  const open = (await openBreaksOf(sql, SUBJECT)).filter(({ kind }) => kind === UNREADABLE);
  if (open.length === 0 && unreadable.length === 0) return;
  const wanted = unreadable.map((detail) => ({ kind: UNREADABLE, detail }));
  await syncBreaks(sql, { tenantId: null, subject: SUBJECT, open, wanted, notices: [], at });
}
