import { inspect } from 'node:util';
import type { ChainNode } from '../../../src/parties/chain/port';
import { startTestChain, type TestChain } from '../../support/chain';
import { type NodeDouble, startNodeDouble, testChains } from './node-double';

export const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Time-out for silent nodes, in milliseconds. A healthy node on a busy machine may need longer: see `inTime`. */
export const HASTY_MS = 4_000;

export interface TwoNodes {
  chain: TestChain;
  one: NodeDouble;
  two: NodeDouble;
  party: ReturnType<typeof testChains>;
  /** The party's node, through both addresses. */
  node: ChainNode;
  /** Replaces `node` by that of a party with this time-out. */
  reached(timeoutMs?: number): void;
  /** Asks beside a silent node. Doubles the time-out until the healthy node of a busy machine answers within it. */
  inTime<T>(ask: () => Promise<T>): Promise<T>;
  /** Asserts that no error, log line or metric shows a part of an address. */
  expectNothingTold(error: unknown): void;
}

/** One chain behind two addresses whose faults a test sets. Before each test both behave well and were not asked. */
export function twoNodes(): TwoNodes {
  const world = {
    reached(timeoutMs?: number) {
      world.party = testChains(timeoutMs);
      world.node = world.party.nodeAt(world.chain.chainId, world.one.url, world.two.url);
    },
    async inTime<T>(ask: () => Promise<T>): Promise<T> {
      for (let timeoutMs = HASTY_MS; ; timeoutMs *= 2) {
        world.reached(timeoutMs);
        try {
          return await ask();
        } catch (error) {
          if (timeoutMs > 8 * HASTY_MS) throw error;
        }
      }
    },
    expectNothingTold(error: unknown) {
      const told = [
        inspect(error, { depth: 9, showHidden: true }),
        JSON.stringify(error),
        ...world.party.lines,
      ].join('\n');
      for (const secret of [...world.one.secrets, ...world.two.secrets]) expect(told).not.toContain(secret);
    },
  } as TwoNodes;
  beforeAll(async () => {
    world.chain = await startTestChain();
    world.one = await startNodeDouble(world.chain.url);
    world.two = await startNodeDouble(world.chain.url);
  });
  afterAll(() => Promise.all([world.one.close(), world.two.close(), world.chain.stop()]));
  beforeEach(() => {
    for (const double of [world.one, world.two]) {
      double.behaveWell();
      double.asked.length = 0;
    }
    world.reached();
  });
  return world;
}

export const thrownBy = (asked: Promise<unknown>) =>
  asked.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (error: unknown) => error as Error,
  );
