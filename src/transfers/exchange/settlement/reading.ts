import type { Sql } from '../../../kernel/db/database';
import { unavailable } from '../../../kernel/errors';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import { isCountable } from '../../../parties/protocol/answers';
import { openBreaksOf, syncBreaks } from '../../../process/breaks/operations';
import { PartyAway } from '../../../process/party-errors';
import type { Services } from '../../../services';
import { UNREADABLE } from '../../engine/breaks';

/** Subject of the breaks about the exchange as a whole. */
export const SUBJECT = 'settlement';

/** Our balances as the exchange reports them. */
export interface SaidBalances {
  asOf: Date;
  /** A currency in neither field has a zero balance. */
  balances: ReadonlyMap<string, Decimal>;
  /** Unknown currencies, and currencies whose amount has too many decimals. */
  unreadable: readonly string[];
}

/**
 * Asks for our balances at the exchange.
 * @throws Problem 503 while the exchange cannot be asked, or its answer cannot be read
 */
export async function readBalances(services: Pick<Services, 'parties'>): Promise<SaidBalances> {
  try {
    return await askBalances(services);
  } catch (error) {
    throw error instanceof PartyAway ? unavailable('The exchange cannot be reached now.') : error;
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

/** @throws Problem 503 for a currency with an unreadable balance */
export function balanceOf({ balances, unreadable }: SaidBalances, currency: string): Decimal {
  if (unreadable.includes(currency))
    throw unavailable(`The exchange’s balance of ${currency} cannot be read.`);
  return balances.get(currency) ?? ZERO;
}

/** Opens a break for each unreadable currency, and closes those of readable ones. */
export async function showUnreadable(sql: Sql, { unreadable }: SaidBalances, at: Date): Promise<void> {
  const open = (await openBreaksOf(sql, SUBJECT)).filter(({ kind }) => kind === UNREADABLE);
  if (open.length === 0 && unreadable.length === 0) return;
  const wanted = unreadable.map((detail) => ({ kind: UNREADABLE, detail }));
  await syncBreaks(sql, { tenantId: null, subject: SUBJECT, open, wanted, notices: [], at });
}
