import type { Hex } from 'viem';
import { attempts } from '../operations/support';
import { isCostly } from './answers';
import { booksHold, completed, delegatedStation } from './delegated-station';

/** EIP-7825, which the node enforces. */
const MAX_GAS = 16_777_216n;

it('a batch that would pass the gas limit of a transaction is cut, and all of its wallets are swept', async () => {
  const world = await delegatedStation();
  try {
    const wallets = await world.wallets(30, 2_000_000n);
    await isCostly(world);
    const sweeps = [];
    for (const { id } of wallets) sweeps.push(await world.sweep(id));
    const hashes = [...(await completed(world, sweeps))];
    expect(hashes.length).toBeLessThan(5);
    for (const hash of hashes) {
      const { gas } = await world.chain.client.getTransaction({ hash: hash as Hex });
      expect(gas).toBeLessThanOrEqual(MAX_GAS);
    }
    // No transaction was refused: the first that the oldest has made is in a block.
    expect(await attempts(world, sweeps[0].id)).toHaveLength(1);
    expect(await world.tokens(world.treasury)).toBe(60_000_000n);
    await booksHold(world);
  } finally {
    await world.close();
  }
});
