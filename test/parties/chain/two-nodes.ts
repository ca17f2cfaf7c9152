import { inspect } from 'node:util';
import type { ChainNode } from '../../../src/parties/chain/port';
import { startTestChain, type TestChain } from '../../support/chain';
import { type NodeDouble, startNodeDouble, testChains } from './node-double';

export const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** What is waited for one that says nothing; a busy machine may take as long for one that does. */
export const HASTY_MS = 2_000;

export interface TwoNodes {
  chain: TestChain;
  one: NodeDouble;
  two: NodeDouble;
  party: ReturnType<typeof testChains>;
  /** Of the party, by both. */
  node: ChainNode;
  /** Asks them anew, by a party that waits so long. */
  reached(timeoutMs?: number): void;
  /** Whatever it throws, logs or counts names no part of an address. */
  expectNothingTold(error: unknown): void;
}

/** One chain, and two addresses of it whose faults a test sets; before each test they behave well, and nobody has asked them. */
export function twoNodes(): TwoNodes {
  const world = {
    reached(timeoutMs?: number) {
      world.party = testChains(timeoutMs);
      world.node = world.party.nodeAt(world.chain.chainId, world.one.url, world.two.url);
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
