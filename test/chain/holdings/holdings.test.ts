import { compareChain } from '../../../src/chain/reconciliation/compare';
import { openWorld, type World } from '../../transfers/chain-deposits/support';
import { posted } from '../gas-station/operations/support';

/** The holding of an address is the sum of its changes, whatever their cause, booked or not. */

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.turn();
});
afterAll(() => world.close());

const changes = (address: string) =>
  world.api.database.query<{ cause: string; amount: string; booked: string }>(
    `select left(cause, 3) as cause, trim_scale(amount)::text as amount, trim_scale(booked)::text as booked
       from holding_changes where address = $1 and asset = 'USDT' order by block_number, cause`,
    [address],
  );

const unexplained = async () =>
  (await compareChain(world.api.services, 'local')).lines.filter(({ difference }) => !difference.isZero());

it('a deposit changes the holding when seen, and the books when final', async () => {
  const { chain, token } = world;
  const wallet = await world.wallet(await world.account());
  await chain.pay(token, wallet, 25_000_000n);
  await world.read();
  expect(await changes(wallet)).toEqual([{ cause: 'cdp', amount: '25', booked: '0' }]);
  expect(await unexplained()).toEqual([]);
  await chain.client.mine({ blocks: 5 });
  await world.read();
  expect(await changes(wallet)).toEqual([{ cause: 'cdp', amount: '25', booked: '25' }]);
  expect(await unexplained()).toEqual([]);
});

it('a deposit lost in a reorganisation changes the holding back at once, and the books once it is gone', async () => {
  const { chain, token } = world;
  const wallet = await world.wallet(await world.account());
  const before = await chain.client.snapshot();
  await chain.pay(token, wallet, 7_000_000n);
  await world.read();
  expect(await changes(wallet)).toEqual([{ cause: 'cdp', amount: '7', booked: '0' }]);
  await chain.client.revert({ id: before });
  await chain.client.mine({ blocks: 12 });
  await world.read();
  expect(await changes(wallet)).toEqual([{ cause: 'cdp', amount: '0', booked: '0' }]);
  expect(await unexplained()).toEqual([]);
});

it('an arrival at the station changes the holding when seen, and the books when final, without a scan', async () => {
  const { api, chain } = world;
  const admin = await api.client('admin');
  const { address } = await posted(admin, '/v1/gas-station/wallet/generate', { chain: 'local' });
  const ofStation = () =>
    api.database.query(
      `select place, asset, trim_scale(amount)::text as amount, trim_scale(booked)::text as booked
         from holding_changes where address = $1 and amount <> 0`,
      [address],
    );
  const before = await chain.client.snapshot();
  await chain.pay(null, address, 3n * 10n ** 18n);
  await world.read();
  expect(await ofStation()).toEqual([{ place: 'station', asset: 'ETH', amount: '3', booked: '0' }]);
  expect(await unexplained()).toEqual([]);
  await chain.client.revert({ id: before });
  await chain.pay(null, address, 10n ** 18n);
  await chain.client.mine({ blocks: 1 });
  await world.read();
  expect(await ofStation()).toEqual([{ place: 'station', asset: 'ETH', amount: '1', booked: '0' }]);
  expect(await unexplained()).toEqual([]);
  await chain.client.mine({ blocks: 5 });
  await world.read();
  expect(await ofStation()).toEqual([{ place: 'station', asset: 'ETH', amount: '1', booked: '1' }]);
  expect(await unexplained()).toEqual([]);
  const { data } = (await admin.call('GET', '/v1/gas-station/station-topups')).body;
  expect(data).toMatchObject([{ address, amount: `1.${'0'.repeat(18)}`, paidBy: 'funding' }]);
});
