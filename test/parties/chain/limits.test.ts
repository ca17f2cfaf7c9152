import { createShape, restMsOf } from '../../../src/parties/chain/evm/limits';
import { type Behaviour, NodeError } from './node-double';
import { ALICE, thrownBy, twoNodes } from './two-nodes';

const world = twoNodes();

/** Numbers of requests to both nodes of a read. */
async function askedBy(read: () => Promise<unknown>): Promise<[number, number]> {
  world.one.asked.length = 0;
  world.two.asked.length = 0;
  await read();
  return [world.one.asked.length, world.two.asked.length];
}

const balance = () => world.node.balance(ALICE, null);

const QUOTAS: [string, Behaviour, number][] = [
  ['429 for three seconds', 'rest-429-3', 3],
  ['429 until a date', 'rest-429-Thu, 01 Jan 2026 00:00:20 GMT', 20],
  ['429 for a day, which is bounded', 'rest-429-86400', 300],
  ['429 without a time', 'too-many-429', 2],
  ['the error of EIP-1474', () => new NodeError(-32005, 'limit exceeded'), 2],
  ['the error of a provider', () => new NodeError(-32005, 'daily request limit reached'), 2],
];

it.each(QUOTAS)('a node rests after %s, and others are asked', async (_, behaviour, seconds) => {
  await balance();
  // The date is later than the test's clock, and may be earlier than the machine's.
  if (typeof behaviour === 'string' && behaviour.includes('GMT'))
    behaviour = `rest-429-${new Date(Date.now() + 20_500).toUTCString()}`;
  world.one.on(typeof behaviour === 'function' ? 'eth_getBalance' : '*', behaviour);
  expect(await askedBy(balance)).toEqual([1, expect.any(Number)]);
  world.party.pass(seconds - 1.1);
  expect(await askedBy(balance)).toEqual([0, 1]);
  expect(await askedBy(() => world.node.agreedBlock(0))).toEqual([0, expect.any(Number)]);
  expect(await world.node.agreedBlock(0)).toMatchObject({ said: 1, of: 2 });
  world.one.behaveWell();
  world.party.pass(2.2);
  expect((await askedBy(balance))[0]).toBeGreaterThan(0);
  const levels = world.party.lines.map((line) => (JSON.parse(line) as { level: number }).level);
  expect(Math.max(...levels)).toBe(30); // no outage
});

it('an answer that is too long is no quota, so the range is halved', async () => {
  const { number } = await world.node.head();
  world.one.on('eth_getLogs', () => new NodeError(-32005, 'query returned more than 10000 results'));
  await thrownBy(
    world.node.transfersTo({ from: number, to: number }, [ALICE], { native: false, listed: [] }),
  ).catch(() => undefined);
  expect((await askedBy(balance))[0]).toBe(1);
});

it('a node that alone is left, and rests, leaves the chain away', async () => {
  for (const node of [world.one, world.two]) node.on('*', 'rest-429-30');
  expect(await thrownBy(balance())).toMatchObject({ name: 'ChainAway' });
  expect(await askedBy(() => thrownBy(balance()))).toEqual([0, 0]);
});

it.each([
  ['7', 7_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['soon', undefined],
  [undefined, undefined],
])('reads Retry-After: %s', (header, ms) => {
  expect(restMsOf(header, new Date('2026-01-01T00:00:00Z'))).toBe(ms);
});

it('calls are spread, a second of them at once, and a turn that is far off is refused', async () => {
  const turn = createShape(100);
  const began = performance.now();
  await turn(100);
  const burst = performance.now() - began;
  await turn(50);
  const waited = performance.now() - began;
  expect(waited - burst).toBeGreaterThan(400);
  await turn(100); // waits for its time
  const all = [turn(100), turn(100), turn(100)];
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toContain('rejected');
});
