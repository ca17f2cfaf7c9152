import { Decimal } from '../../../kernel/money/money';
import { SANDBOX_USD_RATES, type SandboxRates, sandboxSnapshot } from '../../rates/sandbox/table';
import { rateIn } from '../../rates/snapshot';

/** Whether the exchange deals in the currency, because the table has its rate. */
export const isDealt = (currency: string): boolean => Object.hasOwn(SANDBOX_USD_RATES, currency);

interface Asked {
  from: string;
  to: string;
  at: Date;
  rates: SandboxRates;
}

/**
 * The party's price of one unit of `from`: the bid of the pair in the sandbox's table of rates.
 * @throws RangeError the party does not deal in the currency
 */
export function tablePrice({ from, to, at, rates }: Asked): Decimal {
  const { base, rates: quoted } = sandboxSnapshot(at, rates);
  const quotes = Object.entries(quoted).map(([currency, { bid, ask }]) => {
    return [currency, { bid: new Decimal(bid), ask: new Decimal(ask) }] as const;
  });
  const rate = rateIn({ base, asOf: at, rates: new Map(quotes) }, from, to);
  if (!rate) throw new RangeError(`${from}/${to} is not dealt`);
  return rate.bid;
}
