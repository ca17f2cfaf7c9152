/** @long */
import {
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
} from 'viem';
import { BadStatus, NodeRefused, TimedOut } from '../../../src/parties/chain/evm/faults';
import { createBalances, MULTICALL, OF_A_MULTICALL } from '../../../src/parties/chain/evm/multicall';
import type { Rpc } from '../../../src/parties/chain/evm/rpc';
import { NodeError } from './node-double';
import { newAddress } from './raw-contracts';
import { thrownBy, twoNodes } from './two-nodes';

const world = twoNodes();
/** More addresses than fit into a request of several calls. */
const many = Array.from({ length: 45 }, newAddress);
const [rich, owner] = [many[3] as string, many[41] as string];
let token: Hex;
let bare: number;

beforeAll(async () => {
  token = await world.chain.token();
  await world.chain.pay(token, owner, 24n);
  await world.chain.pay(null, rich, 18n);
  bare = Number(await world.chain.client.getBlockNumber());
  await world.chain.multicall();
});
afterEach(() => world.chain.multicall());

/** A node of a new process, and the methods that it asks for beside its chain. */
function alone() {
  const node = world.party.nodeAt(world.chain.chainId, world.one.url);
  const asked = () => world.one.asked.splice(0).filter((method) => method !== 'eth_chainId');
  return { node, asked };
}

const expected = (address: string, units: bigint) => many.map((each) => (each === address ? units : 0n));

/** Single calls ask the contract of the token, and a multicall asks {@link MULTICALL}. */
const isMulticall = (params: any[]): boolean => params[0].to.toLowerCase() === MULTICALL.toLowerCase();

/** Changes the results of multicalls. */
const changeResults = (changed: (results: { success: boolean; returnData: Hex }[]) => void) =>
  world.one.on('eth_call', async ({ params }, ask) => {
    const data = await ask({});
    if (!isMulticall(params)) return data;
    const of = { abi: multicall3Abi, functionName: 'aggregate3' } as const;
    const results = decodeFunctionResult({ ...of, data }).map((each) => ({ ...each }));
    changed(results);
    return encodeFunctionResult({ ...of, result: results });
  });

it('reads the balances of a token and of the coin by one call each, and the code once', async () => {
  const { node, asked } = alone();
  expect(await node.balances(many, token)).toEqual(expected(owner, 24n));
  expect(asked()).toEqual(['eth_getCode', 'eth_call']);
  expect(await node.balances(many, null)).toEqual(expected(rich, 18n));
  expect(asked()).toEqual(['eth_call']);
});

it('reads more addresses than fit a call', async () => {
  const { node, asked } = alone();
  const more = [...many, ...Array.from({ length: OF_A_MULTICALL }, (_, n) => addressOf(n + 1)), owner];
  const units = await node.balances(more, token);
  expect([units.length, units.at(-1), units.filter((each) => each > 0n)]).toEqual([
    more.length,
    24n,
    [24n, 24n],
  ]);
  expect(asked()).toEqual(['eth_getCode', 'eth_call', 'eth_call']);
});

const addressOf = (n: number): string => `0x${(0xa000 + n).toString(16).padStart(40, '0')}`;

it('reads the balances after a block', async () => {
  const { node, asked } = alone();
  const { number } = await node.head();
  await world.chain.pay(token, owner, 1n);
  asked();
  expect(await node.balances(many, token, number)).toEqual(expected(owner, 24n));
  expect(asked()).toEqual(['eth_getCode', 'eth_call']);
  expect((await node.balances(many, token))[41]).toBe(25n);
});

it.each([
  ['has no such contract', '0x'],
  ['has another contract at the address', '0x60016000f3'],
] as const)('asks each address alone where the chain %s', async (_, bytecode) => {
  await world.chain.client.setCode({ address: MULTICALL, bytecode });
  const { node, asked } = alone();
  expect(await node.balances(many, null)).toEqual(expected(rich, 18n));
  expect(await node.balances(many, null)).toEqual(expected(rich, 18n));
  expect(asked()).toEqual(['eth_getCode', ...Array(90).fill('eth_getBalance')]);
});

it('asks each address alone at a block that did not have the contract yet', async () => {
  const { node, asked } = alone();
  expect(await node.balances(many, null, bare)).toEqual(expected(rich, 18n));
  expect(asked()).toEqual(['eth_getCode', 'eth_call', ...Array(45).fill('eth_getBalance')]);
});

it('asks again for an address whose call has failed, and counts no failure as zero', async () => {
  changeResults((results) => {
    for (const place of [3, 5]) results[place] = { success: false, returnData: '0x' };
  });
  const { node, asked } = alone();
  expect(await node.balances(many, null)).toEqual(expected(rich, 18n));
  expect(asked()).toEqual(['eth_getCode', 'eth_call', 'eth_getBalance', 'eth_getBalance']);
});

it('does not take a short answer for all balances', async () => {
  changeResults((results) => void results.pop());
  const { node, asked } = alone();
  expect(await node.balances(many, null)).toEqual(expected(rich, 18n));
  expect(asked()).toHaveLength(2 + 45);
});

it.each([
  ['has no code', () => Promise.resolve(newAddress())],
  ['is no token', () => world.chain.deploy('TestPayer')],
])('refuses a token whose address %s, after two calls', async (_, made) => {
  const { node, asked } = alone();
  const strange = await made();
  asked();
  const error = await thrownBy(node.balances(many, strange));
  expect(error).toMatchObject({ name: 'ChainRefused', code: 'no_token' });
  expect(asked()).toEqual(['eth_getCode', 'eth_call', 'eth_call']);
});

describe('a node that refuses large calls', () => {
  /** @param most addresses; the length of the data shows their number */
  const refuseAbove = (most: number) =>
    world.one.on('eth_call', ({ params }, ask) =>
      isMulticall(params) && params[0].data.length > 2 * 256 * most
        ? new NodeError(-32000, 'out of gas')
        : ask({}),
    );

  it('gets smaller ones, and is not asked for large ones again', async () => {
    refuseAbove(100);
    const { node, asked } = alone();
    const more = Array.from({ length: 250 }, (_, n) => addressOf(n + 1));
    expect(await node.balances([...more, owner], token)).toEqual([...more.map(() => 0n), expect.any(BigInt)]);
    const [, ...calls] = asked();
    // 251 and 250 are refused, and 125; then portions of 62.
    expect(calls.length).toBeGreaterThan(5);
    await node.balances([...more, owner], token);
    expect(asked()).toEqual(Array(5).fill('eth_call'));
  });

  it('gets single calls where it takes no large one at all', async () => {
    refuseAbove(0);
    const { node } = alone();
    expect(await node.balances(many, null)).toEqual(expected(rich, 18n));
  });
});

it.each([
  ['in words that nobody knows', new NodeError(-32000, 'query size exceeds what we give you')],
  ['by HTTP 422', 'http-422'],
  ['by HTTP 400', 'http-400'],
] as const)('gets single calls where it refuses multicalls %s', async (_, refusal) => {
  world.one.on('eth_call', refusal instanceof NodeError ? { error: { ...refusal } } : refusal);
  const { node } = alone();
  expect(await node.balances(many, null)).toEqual(expected(rich, 18n));
});

describe('what is remembered of a node', () => {
  /** A node whose calls a test answers, and the number of addresses of each multicall. */
  function nodeWith(multicall: (addresses: number) => void) {
    const sizes: number[] = [];
    const code = { refusals: 0 };
    const { client } = world.chain;
    const rpc = {
      async call() {
        if (code.refusals-- > 0) throw new NodeRefused('not_now');
        return client.getCode({ address: MULTICALL });
      },
      async alone({ params }: { params: any[] }) {
        const { args } = decodeFunctionData({ abi: multicall3Abi, data: params[0].data });
        const size = (args?.[0] as unknown[]).length;
        sizes.push(size);
        multicall(size);
        return client.request({ method: 'eth_call', params } as never);
      },
      all: async (calls: readonly unknown[]) => calls.map(() => 0n),
    } as unknown as Rpc;
    return { rpc, sizes, code };
  }
  const some = Array.from({ length: 400 }, (_, n) => addressOf(n + 1));
  const zeros = some.map(() => 0n);

  it('is forgotten after some minutes, so a node that was busy gets large calls again', async () => {
    let [at, isBusy] = [0, true];
    const { rpc, sizes } = nodeWith(() => {
      if (isBusy) throw new NodeRefused('not_now');
    });
    const read = createBalances(OF_A_MULTICALL, () => at);
    await expect(read(rpc, some, null)).rejects.toMatchObject({ why: 'not_now' });
    expect(sizes.splice(0)).toEqual([400, 125, 125, 125, 25]);
    isBusy = false;
    expect(await read(rpc, some, null)).toEqual(zeros);
    expect(Math.max(...sizes.splice(0))).toBe(31);
    at += 5 * 60_000;
    expect(await read(rpc, some, null)).toEqual(zeros);
    expect(sizes).toEqual([400]);
  });

  it('counts a refusal once for all calls that meet it', async () => {
    const { rpc, sizes } = nodeWith((size) => {
      if (size > 250) throw new NodeRefused('reverted');
    });
    const read = createBalances();
    const all = await Promise.all([1, 2, 3].map(() => read(rpc, some, null)));
    expect(all).toEqual([zeros, zeros, zeros]);
    expect(sizes).toEqual([400, 400, 400, ...[250, 150, 250, 150, 250, 150]]);
  });

  it.each([
    ['takes longer than we wait', () => new TimedOut()],
    ['names a status of its size', () => new BadStatus(413)],
  ])('lets a lonely node answer that %s for every large call', async (_, made) => {
    const { rpc } = nodeWith((size) => {
      if (size > 20) throw made();
    });
    const read = createBalances();
    await read(rpc, some, null).catch(() => undefined);
    expect(await read(rpc, some, null)).toEqual(zeros);
  });

  it('holds no refusal to show the code', async () => {
    const { rpc, sizes, code } = nodeWith(() => undefined);
    code.refusals = 1;
    const read = createBalances();
    expect(await read(rpc, some, null)).toEqual(zeros);
    expect(sizes).toEqual([]);
    expect(await read(rpc, some, null)).toEqual(zeros);
    expect(sizes).toEqual([400]);
  });
});

it('is left for another node that answers, like any read', async () => {
  world.one.on('eth_call', 'error-500');
  expect(await world.node.balances(many, null)).toEqual(expected(rich, 18n));
  expect(world.two.asked).toContain('eth_call');
});
