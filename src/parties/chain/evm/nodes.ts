import type { Logger } from 'pino';
import { areMost } from '../agreement';
import { ChainAway } from '../errors';
import type { Block, ChainAddress } from '../port';
import { answers, blockOf } from './answers';
import { headerCall } from './calls';
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
  /**
   * The newest block that half of those have come to who answer, of two the further one: a height that one of several alone tells counts
   * for nothing. Who stands far behind it is passed over until it has come after.
   * @throws ChainAway
   */
  newest(): Promise<Block>;
  /**
   * What each says that answers and does not stand far behind the newest block. Those that failed lately, and may hang, are waited for
   * only where the others are not most.
   * @param options `behindToo`: those far behind are asked as well, for of two nodes the one that tells of a head in the future makes
   *   the other stand behind
   * @throws ChainAway nobody does
   */
  said<T>(
    read: (rpc: Rpc) => Promise<T>,
    options?: { behindToo?: boolean },
  ): Promise<{ said: T[]; of: number }>;
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
  /** Whether it stood far behind another when they were compared last. */
  isBehind: boolean;
}

const TIMEOUT_MS = 5_000;

/** How long one that failed is asked last. */
const PASSED_OVER_MS = 10_000;

/** How far a node may be behind another one. */
const FAR_BLOCKS = 3;
const FAR_MS = 120_000;

/** How often the same is read of one node that is reorganised meanwhile. */
const READINGS = 3;

export function createNodes(address: ChainAddress, options: NodesOptions): Nodes {
  const { chain } = address;
  const members = address.rpcUrls.map((url, place): Member => {
    const rpc = createRpc(url, options.timeoutMs ?? TIMEOUT_MS);
    return { url, place, rpc, checked: undefined, failedAt: undefined, isBehind: false };
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
    if (chainId !== address.chainId) throw new OtherChain();
  }

  /** Told once, until it answers again. */
  function passOver(member: Member, { name }: Error): void {
    if (member.failedAt === undefined)
      options.log.warn({ chain, place: member.place, name }, 'a node of a chain is passed over');
    member.failedAt = options.now().getTime();
    member.checked = undefined; // who comes back may be somebody else
  }

  const hasFailed = ({ failedAt }: Member): boolean =>
    failedAt !== undefined && failedAt > options.now().getTime() - PASSED_OVER_MS;

  function inOrder(backwards = false): Member[] {
    const order = backwards ? members.toReversed() : members;
    const isLast = (member: Member) => member.isBehind || hasFailed(member);
    return [...order.filter((member) => !isLast(member)), ...order.filter(isLast)];
  }

  let comparedAt: number | undefined;

  /** Those that failed lately are not waited for where the others are enough: they may hang. */
  async function ofTheWell<T>(
    some: readonly Member[],
    askThem: (well: Member[]) => Promise<T[]>,
    areEnough: (count: number) => boolean,
  ): Promise<T[]> {
    const [well, failed] = [some.filter((member) => !hasFailed(member)), some.filter(hasFailed)];
    const told = await askThem(well);
    return areEnough(told.length) ? told : [...told, ...(await askThem(failed))];
  }

  async function newest(): Promise<Block> {
    const heads = await ofTheWell(members, headsOf, (count) => count > 0);
    const reached = heads.map(({ head }) => head).sort((one, other) => other.number - one.number);
    const newestOfHalf = reached[Math.floor((reached.length - 1) / 2)];
    if (!newestOfHalf) throw new ChainAway(chain);
    comparedAt = options.now().getTime();
    for (const { member, head } of heads) compare(member, isFarBehind(head, newestOfHalf));
    return newestOfHalf;
  }

  async function headsOf(some: readonly Member[]) {
    const asked = some.map(async (member) => ({ member, head: await ask(member, readHead) }));
    return answered(await Promise.allSettled(asked));
  }

  /** Told once, until it has come after. */
  function compare(member: Member, isBehind: boolean): void {
    if (isBehind && !member.isBehind)
      options.log.warn({ chain, place: member.place }, 'a node of a chain has stopped far behind another');
    member.isBehind = isBehind;
  }

  const said: Nodes['said'] = async (read, { behindToo = false } = {}) => {
    const isOld = comparedAt === undefined || comparedAt <= options.now().getTime() - PASSED_OVER_MS;
    if (isOld && members.length > 1) await newest();
    const current = members.filter(({ isBehind }) => behindToo || !isBehind);
    const toldBy = async (some: readonly Member[]) =>
      answered(await Promise.allSettled(some.map((member) => ask(member, read))));
    const areEnough = (count: number) => areMost({ said: count, of: members.length });
    const told = await ofTheWell(current, toldBy, areEnough);
    if (told.length === 0) throw new ChainAway(chain);
    return { said: told, of: members.length };
  };

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
    ...{ newest, said },
    each: (read) => members.map((member) => ask(member, read)),
    async chainIds() {
      const asked = members.map(async ({ rpc, url }) => ({ chainId: await chainIdOf(rpc), url }));
      return answered(await Promise.allSettled(asked));
    },
  };
}

async function readHead(rpc: Rpc): Promise<Block> {
  const header = await rpc.call(headerCall('latest'), answers.header);
  if (!header) throw new NodeAway(true);
  return blockOf(header);
}

/** By both: some chains have many blocks a second, and on one that rests a single block is long. */
const isFarBehind = (head: Block, best: Block) =>
  best.number - head.number > FAR_BLOCKS && best.at.getTime() - head.at.getTime() > FAR_MS;

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
