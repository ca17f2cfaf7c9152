import type { Logger } from 'pino';
import { ChainAway } from '../errors';
import type { ChainAddress } from '../port';
import { answers } from './answers';
import { NodeAway, NodeRefused, OtherChain, Unsettled } from './faults';
import { createRpc, type Rpc } from './rpc';

/** The addresses of one chain. */
export interface Nodes {
  /**
   * What the first address says that answers; those that failed lately are asked last.
   * @param options `isEnough`: the others are asked too while it is not, and without a better answer the first one stands;
   *   `backwards`: the last address is asked first
   * @throws ChainAway; ChainRefused where `read` throws it: no other is asked then
   */
  first<T>(read: (rpc: Rpc) => Promise<T>, options?: FirstOptions<T>): Promise<T>;
  /** Asks each at once, by its place: those whose chain is another one are not asked, and are as one that is away. */
  each<T>(ask: (rpc: Rpc) => Promise<T>): Promise<T>[];
  /** What each says that its chain is; no address is left out for what it says. */
  chainIds(): Promise<{ chainId: number; url: string }[]>;
}

interface FirstOptions<T> {
  isEnough?: (answer: T) => boolean;
  backwards?: boolean | undefined;
}

export interface NodesOptions {
  log: Logger;
  now: () => Date;
  /** Of one request to one address. */
  timeoutMs?: number;
}

interface Member {
  url: string;
  place: number;
  rpc: Rpc;
  /** Whether it has said that its chain is ours; asked again after it has failed. */
  checked: Promise<void> | undefined;
  failedAt: number | undefined;
}

const TIMEOUT_MS = 5_000;

/** How long one that failed is asked last. */
const PASSED_OVER_MS = 10_000;

/** How often the same is read of one node that is reorganised meanwhile. */
const READINGS = 3;

export function createNodes(address: ChainAddress, options: NodesOptions): Nodes {
  const { chain } = address;
  const members = address.rpcUrls.map((url, place): Member => {
    const rpc = createRpc(url, options.timeoutMs ?? TIMEOUT_MS);
    return { url, place, rpc, checked: undefined, failedAt: undefined };
  });

  async function ask<T>(member: Member, read: (rpc: Rpc) => Promise<T>): Promise<T> {
    try {
      await (member.checked ??= checkChain(member));
      const answer = await settled(() => read(member.rpc));
      member.failedAt = undefined;
      return answer;
    } catch (error) {
      if (isAway(error)) passOver(member, error);
      throw error;
    }
  }

  /** @throws OtherChain; NodeAway, and nothing else was asked of it */
  async function checkChain({ rpc }: Member): Promise<void> {
    const chainId = await chainIdOf(rpc).catch(() => {
      throw new NodeAway(false);
    });
    if (address.chainId !== null && chainId !== address.chainId) throw new OtherChain();
  }

  /** Told once, until it answers again. */
  function passOver(member: Member, { name }: Error): void {
    if (member.failedAt === undefined)
      options.log.warn({ chain, place: member.place, name }, 'a node of a chain is passed over');
    member.failedAt = options.now().getTime();
    member.checked = undefined; // who comes back may be somebody else
  }

  function inOrder(backwards = false): Member[] {
    const order = backwards ? members.toReversed() : members;
    const since = options.now().getTime() - PASSED_OVER_MS;
    const failed = (member: Member) => member.failedAt !== undefined && member.failedAt > since;
    return [...order.filter((member) => !failed(member)), ...order.filter(failed)];
  }

  return {
    async first(read, { isEnough = () => true, backwards } = {}) {
      const answers = [];
      for (const member of inOrder(backwards)) {
        try {
          const answer = await ask(member, read);
          if (isEnough(answer)) return answer;
          answers.push(answer);
        } catch (error) {
          if (!isFault(error)) throw error;
        }
      }
      if (answers.length === 0) throw new ChainAway(chain);
      return answers[0] as Awaited<ReturnType<typeof read>>;
    },
    each: (read) => members.map((member) => ask(member, read)),
    async chainIds() {
      const asked = members.map(async ({ rpc, url }) => ({ chainId: await chainIdOf(rpc), url }));
      return answered(await Promise.allSettled(asked));
    },
  };
}

/** Those of several that answered. */
export const answered = <T>(outcomes: readonly PromiseSettledResult<T>[]): T[] =>
  outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));

const chainIdOf = (rpc: Rpc) => rpc.call({ method: 'eth_chainId', params: [] }, answers.count);

/** Reads once more what was of two chains. */
async function settled<T>(read: () => Promise<T>): Promise<T> {
  for (let reading = 1; ; reading += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unsettled) || reading === READINGS) throw error;
    }
  }
}

/** Another address may do it, or this one another time. */
export const isFault = (error: unknown): error is NodeAway | NodeRefused | Unsettled =>
  error instanceof NodeAway || error instanceof NodeRefused || error instanceof Unsettled;

const isAway = (error: unknown): error is NodeAway | NodeRefused =>
  error instanceof NodeAway || (error instanceof NodeRefused && error.why === 'not_now');
