/** @long */
import { type Abi, type Address, encodeFunctionData } from 'viem';
import contracts from '../../../contracts/contracts.json';
import { followedChains } from '../../../src/chain/holdings/read-position';
import { keepUnlisted } from '../../../src/chain/holdings/unlisted';
import { nodeOf } from '../../../src/chain/networks/nodes/nodes';
import { payLocally } from '../../../src/startup/embedded/chain/token';
import { ensureLocalNetwork } from '../../../src/startup/local-chain/network';
import { keepTransfers } from '../../../src/transfers/chain-deposits/discover';
import { readChain } from '../../../src/watch/chains/follow-blocks';
import { createTurn, watchChain } from '../../../src/watch/chains/watch';
import { openWorld, type World } from '../../transfers/chain-deposits/support';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  await world.turn(); // begins at the head
});
afterEach(() => world.close());

const statuses = async () => (await world.deposits()).map(({ status }) => status);
const pay = (address: string, units = 5_000_000n) => world.chain.pay(world.token, address, units);
const mine = (blocks: number) => world.chain.client.mine({ blocks });
const breaks = async () =>
  (
    await world.api.database.query<{ kind: string; subject: string }>(
      'select kind, subject from breaks where resolved_at is null order by id',
    )
  ).map(({ kind }) => kind);

it('finds a payment at once, and credits it by blocks alone', async () => {
  const account = await world.account();
  const [one, other] = [await world.wallet(account), await world.wallet(account)];
  await pay(one);
  await pay(other, 7_000_000n);
  await world.read();
  expect(await statuses()).toEqual(['confirming', 'confirming']);
  expect(await world.available(account)).toBe('0');
  await mine(1);
  await world.read();
  expect(await statuses()).toEqual(['credited', 'confirming']);
  await mine(1);
  await world.read();
  expect(await statuses()).toEqual(['credited', 'credited']);
  expect(await world.available(account)).toBe('12');
  expect(await world.booked('pool@local:USDT')).toBe('-12');
});

it('credits once when blocks and a claim find it together, also with two watchers', async () => {
  const account = await world.account();
  const address = await world.wallet(account);
  const txHash = await pay(address);
  await mine(2);
  const claim = () => world.client.call('POST', '/v1/wallets/deposit', { chain: 'local', address, txHash });
  await Promise.all([claim(), world.turn(), claim(), world.turn(), claim()]);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  expect(await world.available(account)).toBe('5');
});

it('opens each transfer of a transaction once, also of native coins, and shows unlisted tokens', async () => {
  const account = await world.account('ETH');
  const address = await world.wallet(account);
  await world.chain.pay(null, address, 2_000_000_000_000_000_000n);
  const strange = await world.chain.token();
  await world.chain.pay(strange, address, 99n);
  await mine(3);
  await world.read();
  expect((await world.deposits()).map(({ terms }) => terms['asset'])).toEqual(['ETH']);
  expect(await world.available(account)).toBe('2');
  const shown = await world.api.database.query('select token, units::text as units from unlisted_tokens');
  expect(shown).toEqual([{ token: strange, units: '99' }]);
});

it('stores unlisted transfers of any number of transactions, a few of each', async () => {
  const { database } = world.api;
  const block = { number: 1, hash: '0xb', parentHash: '0xa', at: new Date() };
  const transfer = { logIndex: 0, token: '0xT', from: '0xF', to: '0xA', units: 1n, block };
  const ofOne = Array.from({ length: 30 }, (_, ordinal) => ({ ...transfer, txHash: '0xmany', ordinal }));
  const others = Array.from({ length: 9_000 }, (_, n) => ({ ...transfer, txHash: `0x${n}`, ordinal: 0 }));
  const keep = () =>
    database.transaction((tx) => keepUnlisted(tx, 'local', [...ofOne, ...others], new Date()));
  await keep();
  await keep();
  const counted = `select count(*)::int as rows, sum(more)::int as more from unlisted_tokens`;
  expect(await database.query(counted)).toEqual([{ rows: 9_020, more: 10 }]);
});

it('shows an amount that no record can hold, and continues', async () => {
  const { services, database } = world.api;
  const account = await world.account();
  const address = await world.wallet(account);
  const { network } = await nodeOf(services, database, 'local');
  const block = { ...(await world.chain.client.getBlock()), at: new Date() };
  const sent = {
    txHash: `0x${'a'.repeat(64)}`,
    ordinal: 0,
    logIndex: 0,
    token: world.token,
    from: world.token,
  };
  const transfer = { ...sent, to: address, units: 2n ** 256n - 1n, block: { ...block, number: 1 } };
  for (let times = 0; times < 2; times += 1)
    await database.transaction((tx) => keepTransfers(services, tx, network, [transfer]));
  expect(await statuses()).toEqual([]);
  expect(await breaks()).toEqual(['chain_deposit_too_large']);
  const shown = await database.query('select units::text as units from unlisted_tokens');
  expect(shown).toEqual([{ units: String(2n ** 256n - 1n) }]);
});

it('begins again when the local chain began anew, and misses no later payment', async () => {
  const { services, database } = world.api;
  const address = await world.wallet(await world.account());
  await database.query(`update chain_blocks set number = 900, hash = '0xof-another-chain'`);
  await database.query(`update chain_places set block_number = 900, checked_number = 900`);
  await ensureLocalNetwork(services, world.chain.url);
  const head = await world.chain.client.getBlock();
  expect(await database.query('select number::int, hash from chain_blocks')).toEqual([
    { number: Number(head.number), hash: head.hash },
  ]);
  await payLocally(world.chain.url, 'USDT', address as Address, 5_000_000n);
  await mine(2);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
});

it('makes open deposits poll when nobody follows the chain any more', async () => {
  const { services, database } = world.api;
  await pay(await world.wallet(await world.account()));
  await world.read();
  await mine(3);
  await database.query(`update networks set enabled = false`);
  expect(await readChain(services, 'local')).toBe('ended');
  expect(await followedChains(database, services.now())).toEqual(new Set());
  await world.looks();
  expect(await statuses()).toEqual(['credited']);
});

it('shows any failure that lasts', async () => {
  const { services } = world.api;
  const { database } = services;
  let isBroken = true;
  const transaction: typeof database.transaction = (...given) =>
    isBroken ? Promise.reject(new Error('cannot be kept')) : database.transaction(...given);
  const turn = createTurn({ ...services, database: { ...database, transaction } }, 'local');
  await mine(1);
  expect(await turn()).toBe('away');
  await world.api.database.query(`update unreadable_lists set since = since - interval '2 minutes'`);
  expect(await turn()).toBe('away');
  expect(await breaks()).toEqual(['chain_unreadable']);
  isBroken = false;
  expect(await turn()).toBe('read');
  expect(await breaks()).toEqual([]);
});

it('waits for a deposit that vanishes before it is final, and credits it on its return', async () => {
  const { client } = world.chain;
  const account = await world.account();
  const address = await world.wallet(account);
  const snapshot = await client.snapshot();
  const raw = await world.chain.signed(await pay(address));
  await world.read();
  expect(await statuses()).toEqual(['confirming']);
  await client.revert({ id: snapshot });
  await mine(3); // other blocks of the same height
  await world.read();
  expect((await world.deposits()).map(({ status, word }) => `${status} ${word?.state}`)).toEqual([
    'confirming absent',
  ]);
  await mine(12);
  await world.read();
  expect((await world.deposits()).map(({ status, word }) => `${status} ${word?.state}`)).toEqual([
    'confirming gone',
  ]);
  await client.sendRawTransaction({ serializedTransaction: raw });
  await mine(2);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  expect(await world.available(account)).toBe('5');
});

it('takes back a credit that the chain has lost for long, and credits it again on its return', async () => {
  const { client } = world.chain;
  const account = await world.account();
  const address = await world.wallet(account);
  const snapshot = await client.snapshot();
  const raw = await world.chain.signed(await pay(address));
  await mine(2);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  await client.revert({ id: snapshot });
  await mine(4);
  await world.read();
  expect(await statuses()).toEqual(['credited']); // not long enough yet
  await mine(6);
  await world.read();
  expect(await statuses()).toEqual(['uncredited']);
  expect(await world.available(account)).toBe('0');
  expect(await world.booked('pool@local:USDT')).toBe('0');
  expect(await breaks()).toEqual(['transfer_contradicted']);
  await client.sendRawTransaction({ serializedTransaction: raw });
  await mine(2);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  expect(await world.available(account)).toBe('5');
});

it('recognises a transfer that another block has at another log index', async () => {
  const { client, payer } = world.chain;
  const account = await world.account();
  const address = await world.wallet(account);
  const snapshot = await client.snapshot();
  const raw = await world.chain.signed(await pay(address));
  await world.read();
  await client.revert({ id: snapshot });
  await client.setAutomine(false);
  // Another sender pays more, so its transaction comes first in the block.
  const accounts: unknown = await client.request({ method: 'eth_accounts' } as never);
  const mint = encodeFunctionData({
    abi: contracts.TestUsdt.abi as Abi,
    functionName: 'mint',
    args: [payer, 1n],
  });
  const given = {
    from: (accounts as Address[])[1],
    to: world.token,
    data: mint,
    maxFeePerGas: '0x12a05f2000',
    maxPriorityFeePerGas: '0xb2d05e00',
  };
  await client.request({ method: 'eth_sendTransaction' as never, params: [given] as never });
  await client.sendRawTransaction({ serializedTransaction: raw });
  await mine(3);
  await world.read();
  expect((await world.deposits()).map(({ status, word }) => [status, word?.logIndex])).toEqual([
    ['credited', 1],
  ]);
  expect(await world.available(account)).toBe('5');
});

it('begins at the head, and continues exactly where it stopped, through ranges', async () => {
  const account = await world.account();
  const address = await world.wallet(account);
  const place = async () =>
    (await world.api.database.query<{ n: string }>('select block_number as n from chain_places'))[0]?.n;
  const begun = Number(await place());
  for (let n = 0; n < 3; n += 1) {
    await pay(address);
    await mine(60);
  }
  let steps = 0;
  while ((await world.turn()) === 'read') steps += 1;
  expect(steps).toBeGreaterThan(2);
  expect(Number(await place())).toBe(begun + 183);
  await world.looks();
  await world.read();
  expect(await statuses()).toEqual(['credited', 'credited', 'credited']);
});

it('loses and doubles nothing when it dies anywhere in a step', async () => {
  const { services } = world.api;
  const account = await world.account();
  const address = await world.wallet(account);
  await pay(address);
  await mine(2);
  let calls = 0;
  let most = 0;
  const dying = (at: number): typeof services => ({
    ...services,
    database: {
      ...services.database,
      transaction: (work, ...rest) =>
        services.database.transaction(
          async (tx) => {
            const run: typeof tx.run = async (query) => {
              calls += 1;
              if (calls === at) throw new Error('killed');
              return tx.run(query);
            };
            return work({ ...tx, run });
          },
          ...rest,
        ),
    },
  });
  for (let at = 1; ; at += 1) {
    calls = 0;
    const died = await readChain(dying(at), 'local').then(
      () => false,
      () => true,
    );
    most = Math.max(most, calls);
    if (!died && calls < at) break;
  }
  expect(most).toBeGreaterThan(5);
  await world.read();
  expect(await statuses()).toEqual(['credited']);
  expect(await world.available(account)).toBe('5');
});

it('shows an unreadable chain after a minute, until it can be read', async () => {
  const { services } = world.api;
  await world.chain.stop();
  expect(await world.turn()).toBe('away');
  expect(await breaks()).toEqual([]);
  await world.api.database.query(`update unreadable_lists set since = since - interval '2 minutes'`);
  expect(await world.turn()).toBe('away');
  expect(await breaks()).toEqual(['chain_unreadable']);
  await services.database.query(`update networks set enabled = false`);
  const watching = { signal: AbortSignal.timeout(5_000), beat: () => undefined };
  expect(await watchChain(services, 'local', watching)).toBe(false);
  expect(await breaks()).toEqual([]);
});
