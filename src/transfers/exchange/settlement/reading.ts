import { unavailable } from '../../../kernel/errors';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { SettlementReading } from '../../../parties/exchange/port';
import { isCountable } from '../../../parties/protocol/answers';
import { PartyAway, UnreadableAnswer } from '../../../process/party-errors';
import type { Services } from '../../../services';

/** What the exchange says now that it holds of ours. @throws Problem 503 while it cannot be asked, or read */
export async function readBalances(services: Pick<Services, 'parties'>): Promise<SettlementReading> {
  try {
    return await askBalances(services);
  } catch (error) {
    throw error instanceof PartyAway ? unavailable('The exchange cannot be asked just now.') : error;
  }
}

/** @throws PartyAway; UnreadableAnswer for an amount that its currency has not */
export async function askBalances({ parties }: Pick<Services, 'parties'>): Promise<SettlementReading> {
  const reading = await parties.exchange.balances();
  if (!reading.balances.every(isCountable))
    throw new UnreadableAnswer('the exchange tells of an amount that its currency has not');
  return reading;
}

/** A currency that it does not name is zero. */
export const balanceOf = ({ balances }: SettlementReading, currency: string): Decimal =>
  balances.find((each) => each.currency === currency)?.amount ?? ZERO;
