import type { UnsignedTransaction } from '../../parties/chain/port';
import type { AllowedNetwork } from './rules';

type Priced = Pick<UnsignedTransaction, 'from' | 'nonce' | 'gas' | 'maxFeePerGas'>;

/**
 * Counts what the signed transactions of a UTC day can cost at most. Without a limit, a thief could pay a pool's native
 * coin to a miner as gas. The attempts under one nonce count once, because only one of them is mined.
 *
 * The sums are in memory: nobody but an operator can restart the signing process.
 */
export function createFeeCount(now: () => Date) {
  let day = '';
  /** Highest cost by chain id, sender and nonce. */
  const highest = new Map<number, Map<string, bigint>>();

  function today(chainId: number): Map<string, bigint> {
    const present = now().toISOString().slice(0, 10);
    if (present !== day) highest.clear();
    day = present;
    const known = highest.get(chainId) ?? new Map<string, bigint>();
    highest.set(chainId, known);
    return known;
  }

  return {
    /** Counts a transaction if the limit holds it. @returns a sentence why it is refused, and then counts nothing */
    take({ chainId, dailyFees }: AllowedNetwork, priced: Priced): string | undefined {
      const { from, nonce, gas, maxFeePerGas } = priced;
      const known = today(chainId);
      const key = `${from}/${nonce}`;
      const before = known.get(key) ?? 0n;
      const cost = gas * maxFeePerGas;
      const most = cost > before ? cost : before;
      const others = [...known.values()].reduce((sum, each) => sum + each, 0n) - before;
      if (dailyFees !== null && others + most > dailyFees)
        return "Its gas is above what is left of the day's limit of the list.";
      known.set(key, most);
      return undefined;
    },
  };
}

export type FeeCount = ReturnType<typeof createFeeCount>;
