import { deriveWallets } from '../../../src/chain/wallets/operations';
import { MAX_ASKED_FOR } from '../../../src/parties/chain/port';
import { readChain } from '../../../src/watch/chains/follow-blocks';
import { nothingRemembered } from '../../../src/watch/chains/reading';
import { fillPool } from '../../support/large-pool';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

/** Steps of a watcher until one finds neither a block nor addresses to look for. */
async function readAll(world: World, remembered: ReturnType<typeof nothingRemembered>): Promise<void> {
  for (;;) {
    const step = await readChain(world.api.services, 'local', remembered);
    if (step === 'rests' && !remembered.round) return;
  }
}

const unlisted = (world: World) =>
  world.api.database.query<{ address: string; units: string }>(
    'select address, units::text from unlisted_tokens',
  );

describe('a pool with more addresses than nodes are asked for', () => {
  let world: World;
  const remembered = nothingRemembered();
  beforeAll(async () => {
    world = await openWorld({ blockTime: 'manual' });
    await fillPool(world.api.database, 'local', MAX_ASKED_FOR);
    await readAll(world, remembered); // begins at the head
  });
  afterAll(() => world.close());

  it('gets its deposits of listed tokens and of the native coin', async () => {
    const address = await world.wallet(await world.account());
    await world.chain.pay(world.token, address, 2_000_000n);
    await world.chain.pay(null, address, 10n ** 18n);
    await world.chain.client.mine({ blocks: 3 });
    await readAll(world, remembered);
    const found = (await world.deposits()).map(({ status, terms }) => [status, terms['asset']]);
    expect(found.sort()).toEqual([
      ['credited', 'ETH'],
      ['credited', 'USDT'],
    ]);
  });

  it('reads only the addresses that were added since, also those with an earlier index', async () => {
    const { services, database } = world.api;
    const before = remembered.pool!.addresses.size;
    const of = { chain: 'local', kind: 'evm' as const, count: 2, purpose: 'pool' as const };
    await database.transaction((tx) => deriveWallets(services, tx, of));
    // The wallet of an index that another network had before, as a scope inserts it.
    await fillPool(database, 'local', 1, { firstIndex: 5_000_000 });
    await fillPool(database, 'local', 1, { firstIndex: 4_000_000 });
    const read: number[] = [];
    const pool = remembered.pool!.addresses;
    const add = pool.add.bind(pool);
    pool.add = (address) => {
      read.push(1);
      return add(address);
    };
    await world.chain.client.mine({ blocks: 1 });
    await readAll(world, remembered);
    expect([read.length, pool.size]).toEqual([4, before + 4]);
  });

  it('shows unlisted tokens later, when 500 blocks were read', async () => {
    const address = await world.wallet();
    const strange = await world.chain.token();
    await world.chain.pay(strange, address, 7n);
    await world.chain.client.mine({ blocks: 10 });
    await readAll(world, remembered);
    expect(await unlisted(world)).toEqual([]);
    await world.chain.client.mine({ blocks: 500 });
    await readAll(world, remembered);
    expect(await unlisted(world)).toEqual([{ address, units: '7' }]);
    const [place] = await world.api.database.query<{ unlisted_number: string; checked_number: string }>(
      'select unlisted_number, checked_number from chain_places',
    );
    expect(Number(place!.unlisted_number)).toBeLessThanOrEqual(Number(place!.checked_number));
  });
});
