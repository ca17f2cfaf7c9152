import { createBalances, OF_A_MULTICALL } from '../../src/parties/chain/evm/multicall';
import { createRpc } from '../../src/parties/chain/evm/rpc';
import { readBalances } from '../../src/parties/chain/evm/state';
import { startTestChain } from '../../test/support/chain';
import { countedCalls } from './counted-calls';
import { timed } from './pool';

const ADDRESSES = 4_000;
/** Addresses of a multicall. */
const SIZES = [50, 200, OF_A_MULTICALL, 1_000, 2_000];
const TIMEOUT_MS = 60_000;

/** Measures reading the balances of many addresses: by single calls, and by multicalls of several sizes. */
export async function benchBalances(): Promise<void> {
  const chain = await startTestChain();
  try {
    const token = await chain.token();
    await chain.multicall();
    const addresses = Array.from({ length: ADDRESSES }, (_, n) => addressOf(n + 1));
    const rows = [];
    for (const size of [undefined, ...SIZES]) {
      const read = size === undefined ? readBalances : createBalances(size);
      const rpc = createRpc(chain.url, TIMEOUT_MS);
      for (const [asset, contract] of [
        ['token', token],
        ['coin', null],
      ] as const) {
        let seconds = 0;
        const { requests, calls, bytes } = await countedCalls(chain.url, async () => {
          seconds = await timed(() => read(rpc, addresses, contract));
        });
        rows.push({
          balances: asset,
          'of a call': size ?? 'single calls',
          'a second': Math.round(ADDRESSES / seconds),
          requests,
          calls,
          'kB a request': (bytes / requests / 1_024).toFixed(0),
        });
      }
    }
    console.table(rows);
  } finally {
    await chain.stop();
  }
}

const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
