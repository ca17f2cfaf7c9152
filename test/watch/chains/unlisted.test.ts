import { keepUnlisted, unlistedSums } from '../../../src/chain/holdings/unlisted';
import type { ChainTransfer } from '../../../src/parties/chain/port';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

const TOKEN = '0xT';
const MANY = 30;

let world: World;
beforeAll(async () => {
  world = await openWorld({ blockTime: 'manual' });
  await world.turn(); // begins at the head
});
afterAll(() => world.close());

const keep = (found: ChainTransfer[], booked: ChainTransfer[] = []) =>
  world.api.services.database.transaction((tx) => keepUnlisted(tx, 'local', found, new Date(), booked));
const sums = () => unlistedSums(world.api.services.database, 'local', [TOKEN], 1_000);
const rows = async () => {
  const text = `select (select count(*)::int from unlisted_tokens) as shown,
    (select count(*)::int from unlisted_rests) as rests`;
  const [counted] = await world.api.database.query<{ shown: number; rests: number }>(text);
  return counted;
};

it('counts each transfer of a transaction once, however many lists show', async () => {
  const block = { number: 1, hash: '0xb', parentHash: '0xa', at: new Date() };
  const to = await world.wallet();
  const transfer = { txHash: '0xmany', logIndex: 0, token: TOKEN, from: '0xF', to, block };
  const all = Array.from({ length: MANY }, (_, ordinal) => ({ ...transfer, ordinal, units: 10n ** 30n }));
  const units = (count: number) => [
    { token: TOKEN, place: 'pool', units: String(BigInt(count) * 10n ** 30n) },
  ];
  await keep(all);
  await keep(all);
  expect([await sums(), await rows()]).toEqual([units(MANY), { shown: 20, rests: 1 }]);
  // A claim, or the search in a large pool, finds a part of the transaction.
  await keep(all.slice(-5));
  expect([await sums(), await rows()]).toEqual([units(MANY), { shown: 25, rests: 1 }]);
  // They are deposits now: one that lists show, one that they do not, and one of both.
  const booked = [0, 22, 29].map((place) => all[place] as ChainTransfer);
  for (let times = 0; times < 2; times += 1) await keep([], booked);
  expect(await sums()).toEqual(units(MANY - 3));
});

it('counts no transfer to an address that is no wallet of the chain', async () => {
  const block = { number: 1, hash: '0xb', parentHash: '0xa', at: new Date() };
  const transfer = { txHash: '0xother', logIndex: 0, token: '0xU', from: '0xF', to: '0xA', units: 1n, block };
  await keep(Array.from({ length: MANY }, (_, ordinal) => ({ ...transfer, ordinal })));
  expect(await unlistedSums(world.api.services.database, 'local', ['0xU'], 1_000)).toEqual([]);
});

it('forgets the transfers of blocks that a reorganisation replaced', async () => {
  const { client, pay, token: deploy } = world.chain;
  await world.api.database.query('delete from unlisted_tokens');
  await world.api.database.query('delete from unlisted_rests');
  const address = await world.wallet();
  const strange = await deploy();
  await world.read();
  await pay(strange, address, 1n);
  await client.mine({ blocks: 1 });
  await world.read();
  const snapshot = await client.snapshot();
  await pay(strange, address, 2n);
  await client.mine({ blocks: 1 });
  await world.read();
  await keep(
    Array.from({ length: MANY }, (_, ordinal) => ({
      txHash: '0xreplaced',
      ordinal,
      logIndex: 0,
      token: strange,
      from: '0xF',
      to: address,
      units: 1n,
      block: { number: 1_000_000, hash: '0xb', parentHash: '0xa', at: new Date() },
    })),
  );
  expect(await rows()).toEqual({ shown: 22, rests: 1 });
  await client.revert({ id: snapshot });
  await client.mine({ blocks: 2 });
  await world.read();
  expect(await rows()).toEqual({ shown: 1, rests: 0 });
});
