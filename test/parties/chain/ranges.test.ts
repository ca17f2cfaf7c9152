import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { MAX_ASKED_FOR } from '../../../src/parties/chain/port';
import { type Behaviour, NodeError } from './node-double';
import { twoNodes } from './two-nodes';

const world = twoNodes();

const randomAddress = () => getAddress(`0x${randomBytes(20).toString('hex')}`);

/** Time-out of slow reads on a busy machine. */
const PATIENT_MS = 30_000;

/** The error of a public node. */
const TOO_LONG = new NodeError(-32602, 'eth_getLogs is limited to a 2 range');

describe('transfers', () => {
  it('are rejected when a node returns another block', async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const token = await world.chain.token();
    const { number } = await world.node.head();
    await world.chain.pay(token, to, 1n);
    world.one.on('eth_getLogs', async ({ params: [filter] }, ask) =>
      ask({ params: [{ ...filter, toBlock: 'latest' }] }),
    );
    const { transfers } = await world.node.transfersTo({ from: number, to: number }, [to], { native: false });
    expect(transfers).toEqual([]);
    expect(world.two.asked).toContain('eth_getLogs');
    world.one.on('eth_getBlockByNumber', (_, ask) => ask({ params: ['0x1', false] }));
    expect(await world.node.block(number)).toMatchObject({ number });
  });

  it.each([
    [500, [500]],
    [501, [500, 1]],
    [1_001, [500, 500, 1]],
  ])('are found for each of %d addresses, with one call for each 500', async (count, filters) => {
    const addresses = Array.from({ length: count }, () => randomAddress());
    const token = await world.chain.token();
    const { number: from } = await world.node.head();
    const paid = [1, 500, 501, 1_001].filter((place) => place <= count);
    for (const place of paid) await world.chain.pay(token, addresses[place - 1] as string, BigInt(place));
    await world.chain.pay(token, randomAddress(), 7n); // to an address of another owner
    const { number: to } = await world.node.head();
    const asked: number[] = [];
    world.one.on('eth_getLogs', async ({ params: [{ topics }] }, ask) => {
      asked.push(topics[2].length);
      return ask({});
    });
    const { transfers } = await world.node.transfersTo({ from, to }, addresses, { native: false });
    expect(transfers.map((each) => [each.to, each.units])).toEqual(
      paid.map((place) => [addresses[place - 1], BigInt(place)]),
    );
    expect(asked).toEqual(filters);
    expect(world.two.asked).not.toContain('eth_getLogs');
  });

  it('are matched here where the addresses are many, by one call for the listed contracts', async () => {
    const addresses = Array.from({ length: MAX_ASKED_FOR + 1 }, () => randomAddress());
    const [token, other] = [await world.chain.token(), await world.chain.token()];
    const { number: from } = await world.node.head();
    const paid = [addresses[0]!, addresses.at(-1)!];
    for (const address of paid) await world.chain.pay(token, address, 5n);
    await world.chain.pay(other, paid[0]!, 5n); // a token that is not listed
    await world.chain.pay(token, randomAddress(), 7n); // to an address of another owner
    const { number: to } = await world.node.head();
    const asked: { address: unknown; topics: unknown[] }[] = [];
    world.one.on('eth_getLogs', async ({ params: [{ address, topics }] }, ask) => {
      asked.push({ address, topics });
      return ask({});
    });
    const find = async () =>
      (await world.node.transfersTo({ from, to }, addresses, { native: false, listed: [token] })).transfers;
    expect((await find()).map((each) => [each.to, each.token])).toEqual(paid.map((each) => [each, token]));
    expect(asked).toEqual([{ address: [token], topics: [expect.any(String)] }]);
    // A node that returns too few logs for a block is asked by addresses there.
    world.one.on('eth_getLogs', async ({ params: [{ topics }] }, ask) => {
      asked.push(topics[2]?.length);
      return topics[2] ? ask({}) : TOO_LONG;
    });
    asked.length = 0;
    expect((await find()).map((each) => each.to)).toEqual(paid);
    expect(asked.filter(Boolean)).toEqual(
      Array(to - from + 1)
        .fill([500, 500, 500, 500, 1])
        .flat(),
    );
    expect(world.two.asked).not.toContain('eth_getLogs');
  });

  it('are read in halves when a node refuses the range', async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const token = await world.chain.token();
    const { number: from } = await world.node.head();
    for (const units of [1n, 2n, 3n, 4n, 5n, 6n]) await world.chain.pay(token, to, units);
    const head = await world.node.head();
    const ranges: number[] = [];
    const narrow: Behaviour = async ({ params: [filter] }, ask) => {
      const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
      ranges.push(blocks);
      return ask({});
    };
    world.one.on('eth_getLogs', narrow);
    await world.node.transfersTo({ from, to: head.number }, [to], { native: false });
    expect(ranges).toEqual([7]);
    world.one.on('eth_getLogs', async (call, ask) =>
      Number(call.params[0].toBlock) - Number(call.params[0].fromBlock) > 1 ? TOO_LONG : ask({}),
    );
    const { transfers } = await world.node.transfersTo({ from, to: head.number }, [to], { native: false });
    expect(transfers.map(({ units }) => units)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
    expect(world.two.asked).not.toContain('eth_getLogs');
  });

  it('are read in halves when the answer exceeds the limit of bytes', async () => {
    world.reached(PATIENT_MS); // the answer takes time to reach the limit
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const token = await world.chain.token();
    const { number: from } = await world.node.head();
    for (const units of [1n, 2n]) await world.chain.pay(token, to, units);
    const head = await world.node.head();
    world.one.on('eth_getLogs', async (call, ask) =>
      call.params[0].toBlock === call.params[0].fromBlock ? ask({}) : 'x'.repeat(33 * 1024 * 1024),
    );
    world.two.on('eth_getLogs', 'lost');
    const { transfers } = await world.node.transfersTo({ from, to: head.number }, [to], { native: false });
    expect(transfers.map(({ units }) => units)).toEqual([1n, 2n]);
  });

  it.each([0n, 1n])('are read again when the chain is reorganised meanwhile (%s)', async (units) => {
    const to = privateKeyToAccount(generatePrivateKey()).address;
    const token = await world.chain.token();
    await world.chain.pay(token, to, units); // the reorganisation removes it: a payment, or nothing visible
    const { number } = await world.node.head();
    let reorganisations = 0;
    world.one.on('eth_getLogs', async (_, ask) => {
      const logs = await ask({});
      if (reorganisations === 1) return logs;
      reorganisations += 1;
      await world.chain.client.request({ method: 'anvil_rollback', params: [1] } as never);
      await world.chain.pay(token, to, 2n);
      return logs;
    });
    const found = await world.node.transfersTo({ from: number, to: number }, [to], { native: false });
    const head = await world.node.head();
    expect(reorganisations).toBe(1);
    expect(found.toBlockHash).toBe(head.hash);
    expect(found.transfers).toMatchObject([{ units: 2n, block: head }]);
  });
});
