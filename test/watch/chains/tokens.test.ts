import { Decimal } from '../../../src/kernel/money/money';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

let world: World;
afterEach(() => world.close());

/** Reads until all payments are final. */
async function final(): Promise<void> {
  await world.chain.client.mine({ blocks: 3 });
  await world.read();
}
const amounts = async () =>
  (await world.deposits()).map(({ status, terms }) => [status, terms['amount'], terms['dust']]);

it('leaves the dust of a token with 18 decimals on the address', async () => {
  world = await openWorld({ network: { decimals: 18 } });
  await world.turn();
  const account = await world.account();
  const address = await world.wallet(account);
  await world.chain.pay(world.token, address, 2_500_000_999_999_999_999n);
  await world.chain.pay(world.token, address, 999_999_999_999n); // less than the ledger can hold
  await final();
  expect(await amounts()).toEqual([
    ['credited', '2.5', '999999999999'],
    ['uncredited', '0', '999999999999'],
  ]);
  expect(await world.available(account)).toBe('2.5');
  expect(await world.booked('pool@local:USDT')).toBe('-2.5');
});

it('credits what a token with a fee has brought', async () => {
  world = await openWorld();
  const token = await world.chain.token({ feeBasisPoints: 100 });
  await world.api.database.query(
    `update networks set assets = jsonb_set(assets, '{0,contract}', to_jsonb($1::text)) where chain = 'local'`,
    [token],
  );
  await world.turn();
  const account = await world.account();
  await world.chain.pay(token, await world.wallet(account), 10_000_000n);
  await final();
  expect(await amounts()).toEqual([['credited', '9.9', '0']]);
  expect(await world.available(account)).toBe(new Decimal('9.9').toFixed());
});

it('books both transfers of a transaction, and answers the requested one', async () => {
  world = await openWorld();
  await world.turn();
  const { client } = world;
  const account = await world.account();
  const address = await world.wallet(account);
  const txHash = await world.payTwice(address);
  const claim = (logIndex?: number) =>
    client.call('POST', '/v1/wallets/deposit', { chain: 'local', address, txHash, logIndex });
  const [first, second] = [await claim(), await claim(1)];
  expect([first.body.amount, second.body.amount]).toEqual(['2.000000', '3.000000']);
  await final();
  expect(await amounts()).toEqual([
    ['credited', '2', '0'],
    ['credited', '3', '0'],
  ]);
  expect(await world.available(account)).toBe('5');
});
