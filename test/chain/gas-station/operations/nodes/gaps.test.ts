/** @long */
import type { Hex } from 'viem';
import { transactionsOf } from '../../../../../src/chain/gas-station/operations/read';
import { ownTransactions } from '../../../../../src/chain/gas-station/own-transactions';
import { keepChainReading } from '../../../../../src/chain/reconciliation/readings';
import { type NodeDouble, NodeError, startNodeDouble } from '../../../../parties/chain/node-double';
import { byHand, TOPUPS } from '../by-person/decisions';
import { attempts, ether, feesOf, type TestStation, testStation, unitsOf, withoutBlocks } from '../support';

const STUCK_MS = 3 * 60_000;
const SHOWN_MS = 15 * 60_000;

let world: TestStation;
let double: NodeDouble;
beforeAll(async () => {
  const nodes = async (url: string) => [(double = await startNodeDouble(url)).url];
  world = await testStation({ config: { autoSweep: true }, nodes });
});
afterAll(async () => {
  await world.close();
  await double.close();
});
beforeEach(() => double.behaveWell());

const breaks = (id: string) =>
  world.services.database.query(
    'select kind, resolved_at is null as open from breaks where subject = $1 order by id',
    [id],
  );
const noncesOf = async (id: string) => (await attempts(world, id)).map(({ nonce }) => Number(nonce));
const drop = async (id: string) => {
  for (const { hash } of await attempts(world, id))
    if (hash) await world.chain.client.dropTransaction({ hash });
};

type Wallet = { id: string };

/** Two unmined operations of the station, the second behind the first. */
async function twoOnTheirWay([one, other]: readonly Wallet[]): Promise<[string, string]> {
  return [await onItsWay(one), await onItsWay(other)];
}

async function onItsWay(wallet: Wallet | undefined): Promise<string> {
  const { id } = await world.topup(wallet!.id);
  await world.advance(id);
  return id;
}

it('waits when its only node reports more pending transactions than possible, and shows it', async () => {
  double.on('eth_getTransactionCount', ({ params: [, at] }, ask) => (at === 'pending' ? '0x2328' : ask({})));
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const { id } = await world.sweep(wallet!.id);
  await world.advance(id);
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ status: 'pending', waitsFor: 'nonce_gap' });
  expect(await noncesOf(id)).toEqual([]);
  expect(await breaks(id)).toEqual([{ kind: 'gas_nonce_gap', open: true }]);
  double.behaveWell();
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  expect(await breaks(id)).toEqual([{ kind: 'gas_nonce_gap', open: false }]);
});

it('uses the count of mined transactions of a node that does not report pending ones', async () => {
  double.on('eth_getTransactionCount', ({ params: [, at] }, ask) =>
    at === 'pending' ? new NodeError(-32_602, 'unknown block tag') : ask({}),
  );
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const { id } = await world.sweep(wallet!.id);
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
});

it('replaces nothing that waits behind another transaction, and continues once it is next', async () => {
  const wallets = await world.wallets(2, 4_000_000n);
  const [first, second] = await withoutBlocks(world, async () => {
    const ids = await twoOnTheirWay(wallets);
    // The second depends on the first, so the node drops both.
    await drop(ids[0]);
    world.later(STUCK_MS);
    await world.advance(ids[1]);
    expect(await world.read(ids[1])).toMatchObject({ status: 'confirming', waitsFor: 'nonce_gap' });
    expect(await breaks(ids[1])).toEqual([]);
    world.later(SHOWN_MS);
    await world.advance(ids[1]);
    expect(await breaks(ids[1])).toEqual([{ kind: 'gas_nonce_gap', open: true }]);
    expect(await noncesOf(ids[1])).toHaveLength(1);
    return ids;
  });
  expect(await world.lead(first)).toMatchObject({ status: 'completed' });
  expect(await world.lead(second)).toMatchObject({ status: 'completed' });
  expect(await noncesOf(second)).toHaveLength(1);
  expect(await breaks(second)).toEqual([{ kind: 'gas_nonce_gap', open: false }]);
});

const LOW = { maxGasPrice: '0.000000001' };

it('closes the break once it gets its nonce, whatever it waited for between', async () => {
  double.on('eth_getTransactionCount', ({ params: [, at] }, ask) => (at === 'pending' ? '0x2328' : ask({})));
  const [wallet] = await world.wallets(1, 4_000_000n, '0.05');
  const { id } = await world.sweep(wallet!.id);
  await world.advance(id);
  await world.advance(id);
  double.behaveWell();
  await world.configure(LOW);
  await world.advance(id);
  expect(await world.read(id)).toMatchObject({ waitsFor: 'gas_price' });
  await world.configure({});
  await withoutBlocks(world, async () => {
    await world.advance(id);
    expect(await breaks(id)).toEqual([{ kind: 'gas_nonce_gap', open: false }]);
  });
  expect(await world.lead(id)).toMatchObject({ status: 'completed' });
});

it('closes the break once it is next, even while a block costs too much', async () => {
  const wallets = await world.wallets(2, 4_000_000n);
  const [first, second] = await withoutBlocks(world, async () => {
    const ids = await twoOnTheirWay(wallets);
    await drop(ids[0]);
    world.later(SHOWN_MS);
    await world.advance(ids[1]);
    expect(await breaks(ids[1])).toEqual([{ kind: 'gas_nonce_gap', open: true }]);
    return ids;
  });
  expect(await world.lead(first)).toMatchObject({ status: 'completed' });
  await world.configure(LOW);
  await world.advance(second);
  expect(await world.read(second)).toMatchObject({ waitsFor: 'gas_price' });
  expect(await breaks(second)).toEqual([{ kind: 'gas_nonce_gap', open: false }]);
  await world.configure({});
  expect(await world.lead(second)).toMatchObject({ status: 'completed' });
});

it('a person ends an operation behind another while no node has it, and its nonce goes to the next', async () => {
  const wallets = await world.wallets(3, 4_000_000n);
  const [first, second, third] = await withoutBlocks(world, async () => {
    const ids = await twoOnTheirWay(wallets);
    const fail = (id: string) => world.admin.call('POST', `${TOPUPS}/${id}/fail`, { reason: 'test' });
    await drop(ids[0]);
    world.later(STUCK_MS);
    await world.advance(ids[1]);
    expect((await fail(ids[1])).body).toMatchObject({ status: 'failed' });
    return [...ids, await onItsWay(wallets[2])] as const;
  });
  expect(await noncesOf(third)).toEqual(await noncesOf(second));
  expect(await world.lead(first)).toMatchObject({ status: 'completed' });
  expect(await world.lead(third)).toMatchObject({ status: 'completed' });
  await keepChainReading(world.api.services, 'local');
  expect(await breaks(second)).toEqual([]);
});

describe('an operation that was given up because no node had it', () => {
  const fail = (id: string) => world.admin.call('POST', `${TOPUPS}/${id}/fail`, { reason: 'test' });

  /** The second of two unmined operations, which a person may end. */
  async function keptBack(wallets: readonly Wallet[]): Promise<[string, string]> {
    const ids = await twoOnTheirWay(wallets);
    await drop(ids[0]);
    world.later(STUCK_MS);
    await world.advance(ids[1]);
    return ids;
  }

  it('can be ordered again under the same nonce with the same bytes', async () => {
    const wallets = await world.wallets(2, 4_000_000n);
    const [first, second, third] = await withoutBlocks(world, async () => {
      const ids = await keptBack(wallets);
      const hash = (await attempts(world, ids[1]))[0]?.hash;
      expect((await fail(ids[1])).status).toBe(200);
      const again = await onItsWay(wallets[1]);
      expect((await attempts(world, again))[0]?.hash).toBe(hash);
      return [...ids, again] as const;
    });
    expect(await world.lead(first)).toMatchObject({ status: 'completed' });
    expect(await world.lead(third)).toMatchObject({ status: 'completed' });
    expect(await world.read(second)).toMatchObject({ status: 'failed' });
  });

  it("cannot be given up when its transaction moves others' money, too", async () => {
    const wallets = await world.wallets(2, 4_000_000n);
    const [swept] = await world.wallets(1, 4_000_000n, '0.05');
    const other = (await world.sweep(swept!.id)).id;
    const [first, second] = await withoutBlocks(world, async () => {
      const ids = await keptBack(wallets);
      const member = (of: string | null) =>
        world.services.database.query(
          `update gas_operations set batch_of = case when id = $2 then $1 end,
                  station_address = case when $1::text is not null then from_address end where id in ($2, $3)`,
          [of, other, ids[1]],
        );
      await member(ids[1]);
      expect((await fail(ids[1])).status).toBe(409);
      await member(null);
      return ids;
    });
    expect(await world.lead(first)).toMatchObject({ status: 'completed' });
    expect(await world.lead(second)).toMatchObject({ status: 'completed' });
  });

  /** Mines a given-up transaction, whose nonce another operation has now. */
  async function minedAfterAll(isReverted: boolean) {
    const wallets = await world.wallets(3, 4_000_000n);
    const { client } = world.chain;
    await client.setAutomine(false);
    const [first, second] = await keptBack(wallets);
    const [kept] = await attempts(world, second);
    const { raw, hash } = kept as { raw: Hex; hash: Hex };
    expect((await fail(second)).status).toBe(200);
    // No node keeps the operation that has its nonce now.
    double.on('eth_sendRawTransaction', { result: hash });
    const third = await onItsWay(wallets[2]);
    double.behaveWell();
    if (isReverted) await client.setCode({ address: wallets[1]!.address, bytecode: '0xfe' });
    await client.setAutomine(true);
    expect(await world.lead(first)).toMatchObject({ status: 'completed' });
    const held = await world.held('gas', 'ETH');
    const timestamp = BigInt(Math.ceil(world.services.now().getTime() / 1_000));
    await client.setNextBlockTimestamp({ timestamp });
    await client.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
    await world.chain.mined(hash); // the node answers before the block exists
    const expectBooked = async () => {
      const cost = await feesOf(world.chain, [hash]);
      expect(await world.held('gas', 'ETH')).toBe(ether(unitsOf(held) + cost));
      expect(await breaks(second)).toEqual([{ kind: 'gas_operation_late', open: true }]);
      const shown = await transactionsOf(world.services.database, second);
      expect(shown.map((each) => each.hash)).toEqual([hash]);
      const { database } = world.services;
      expect((await ownTransactions(database, 'local')).map((each) => each.hash)).not.toContain(hash);
      const [changed] = await database.query(
        `select count(distinct block_number)::int as blocks from holding_changes where cause in ($1, $2)`,
        [second, hash],
      );
      expect(changed).toEqual({ blocks: 1 });
    };
    return { second, third, hash, expectBooked };
  }

  it.each([
    ['moves its money', false, '0.002'],
    ['was reverted', true, '0'],
  ])('is booked when it %s after all and its nonce is found used', async (_, isReverted, moved) => {
    const { second, third, hash, expectBooked } = await minedAfterAll(isReverted);
    await world.configure({ sweepConfirmations: 3 });
    await world.advance(third);
    expect(await breaks(second)).toEqual([]); // too few confirmations
    await world.configure({});
    await world.advance(third);
    await expectBooked();
    expect(await world.read(second)).toMatchObject({ status: 'failed', txHash: hash });
    expect(Number((await world.read(second)).movedAmount)).toBe(Number(moved));
    await world.advance(third);
    await expectBooked();
    await fail(third);
  });

  const byItsProcess = async (walletId: string) => {
    const { id } = await world.topup(walletId);
    expect(await world.lead(id)).toMatchObject({ status: 'completed' });
  };
  const byAnExport = async (walletId: string) => {
    await world.configure({ autoSweep: false });
    const { id } = await world.topup(walletId);
    const { transactions } = await byHand(() => world).exported(TOPUPS, id);
    expect(transactions).toEqual([expect.objectContaining({ from: world.station })]);
    expect((await fail(id)).status).toBe(200);
    await world.configure({ autoSweep: true });
  };

  it.each([
    ['its process', byItsProcess],
    ['an export', byAnExport],
  ])(
    'is booked, when it is mined before its nonce is given again, before %s gets the next',
    async (_, next) => {
      const wallets = await world.wallets(3, 4_000_000n);
      const { second, raw } = await withoutBlocks(world, async () => {
        const [first, second] = await keptBack(wallets);
        const [kept] = await attempts(world, second);
        expect((await fail(second)).status).toBe(200);
        await world.advance(first);
        return { second, raw: kept?.raw as Hex };
      });
      await world.chain.mined(await world.chain.client.sendRawTransaction({ serializedTransaction: raw }));
      await next(wallets[2]!.id);
      expect(await breaks(second)).toEqual([{ kind: 'gas_operation_late', open: true }]);
      expect(await world.read(second)).toMatchObject({ status: 'failed', movedAmount: expect.anything() });
    },
  );

  it('books the gas of its late revert once, when a person confirms it', async () => {
    const { second, third, hash, expectBooked } = await minedAfterAll(true);
    const confirm = () => world.admin.call('POST', `${TOPUPS}/${second}/confirm`, { txHash: hash });
    expect((await confirm()).status).toBe(409);
    await expectBooked();
    await confirm();
    await world.advance(third);
    await expectBooked();
    await fail(third);
  });
});
