/** @long */
import type { Hex } from 'viem';
import { attempts } from '../operations/support';
import { isCostly } from './answers';
import { booksHold, completed, delegatedStation } from './delegated-station';

/** EIP-7825, which the node enforces. */
const MAX_GAS = 16_777_216n;

it('cuts a batch at the gas limit of a transaction, and sweeps all its wallets', async () => {
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
    // The oldest operation's first transaction was mined, so none was refused.
    expect(await attempts(world, sweeps[0].id)).toHaveLength(1);
    expect(await world.tokens(world.treasury)).toBe(60_000_000n);
    await booksHold(world);
  } finally {
    await world.close();
  }
});
