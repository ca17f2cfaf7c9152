import type { Logger } from 'pino';
import { areMost } from '../agreement';
import { ChainAway } from '../errors';
import type { Block, ChainAddress } from '../port';
import { answers, blockOf } from './answers';
import { headerCall } from './calls';
import { Limited, NodeAway, NodeRefused, OtherChain, Unsettled } from './faults';
import { boundedRest } from './limits';
import { createRpc, type Rpc } from './rpc';

export interface Nodes {
  /**
   * Returns the first usable answer. Addresses that failed lately are asked last.
   * @param options `isEnough`: while false, further addresses are asked, and the first answer is the fallback;
   * `backwards`: the last address is asked first
   * @throws ChainAway; ChainRefused where `read` throws it, because that verdict holds for every node
   */
  first<T>(read: (rpc: Rpc) => Promise<T>, options?: FirstOptions<T>): Promise<T>;
  /**
   * The newest block that half of the answering nodes have reached, the higher of two. A single node of several cannot
   * push it ahead. Nodes far behind it are skipped until they catch up.
   * @throws ChainAway
   */
  newest(): Promise<Block>;
  /**
   * The newest block of one address, and of another one at the next call. Asks none when an earlier call has seen a block
   * within the time.
   * @throws ChainAway
   */
  look(maxAgeMs: number): Promise<Block>;
  /**
   * The answers of all nodes that are not far behind. A node that failed lately may hang, so it is asked only where the
   * others are no majority.
   * @param options `behindToo`: also asks nodes far behind. Otherwise one of two nodes could disqualify the other by
   * claiming a higher block.
   * @throws ChainAway no node answers
   */
  said<T>(
    read: (rpc: Rpc) => Promise<T>,
    options?: { behindToo?: boolean },
  ): Promise<{ said: T[]; of: number }>;
  /** Asks each address at once, in order. A node of another chain counts as away. */
  each<T>(ask: (rpc: Rpc) => Promise<T>): Promise<T>[];
  /** The chain id that each node reports. A wrong id excludes no address. */
  chainIds(): Promise<{ chainId: number; url: string }[]>;
}

interface FirstOptions<T> {
  isEnough?: (answer: T) => boolean;
  backwards?: boolean | undefined;
}

export interface NodesOptions {
  log: Logger;
  now: () => Date;
  /** Time-out of one request to one address, in milliseconds. */
  timeoutMs?: number;
}

interface Member {
  url: string;
  place: number;
  rpc: Rpc;
  /** Resolves when the node has named our chain. Unset after a failure, so that it is checked again. */
  checked: Promise<void> | undefined;
  failedAt: number | undefined;
  /** The node is asked nothing before, because its quota is used up. Milliseconds since 1970. */
  restsUntil: number;
  /** Whether the node was far behind in the last comparison. */
  isBehind: boolean;
}

const TIMEOUT_MS = 5_000;

/** How long a failed node is asked last. */
const ASKED_LAST_MS = 10_000;

/** How far a node may lag behind another. */
const FAR_BLOCKS = 3;
const FAR_MS = 120_000;

/** Attempts to read from a node whose chain is reorganised meanwhile. */
const READINGS = 3;

export function createNodes(address: ChainAddress, options: NodesOptions): Nodes {
  const { chain } = address;
  const members = address.rpcUrls.map((url, place): Member => {
    const rpc = createRpc(url, options.timeoutMs ?? TIMEOUT_MS, address.requestsPerSecond ?? undefined);
    return { url, place, rpc, checked: undefined, failedAt: undefined, restsUntil: 0, isBehind: false };
  });

  async function ask<T>(member: Member, read: (rpc: Rpc) => Promise<T>): Promise<T> {
    const restMs = member.restsUntil - options.now().getTime();
    if (restMs > 0) throw new Limited(restMs);
    try {
      await (member.checked ??= checkChain(member));
      const answer = await retryUnsettled(() => read(member.rpc));
      member.failedAt = undefined;
      return answer;
    } catch (error) {
      if (error instanceof Limited) rest(member, error);
      else if (isAway(error)) markFailed(member, error);
      throw error;
    }
  }

  /** @throws OtherChain; Limited; NodeAway, not sent: nothing else was asked of the node */
  async function checkChain({ rpc }: Member): Promise<void> {
    const chainId = await chainIdOf(rpc).catch((error: unknown) => {
      throw error instanceof Limited ? error : new NodeAway(false);
    });
    if (chainId !== address.chainId) throw new OtherChain();
  }

  /** Logs the failure once, until the node answers again. */
  function markFailed(member: Member, { name }: Error): void {
    if (member.failedAt === undefined)
      options.log.warn({ chain, place: member.place, name }, 'a node of a chain is passed over');
    member.failedAt = options.now().getTime();
    member.checked = undefined; // another server may answer at the address later
  }

  /** The node asks for it, so its rest is neither a fault nor an outage. */
  function rest(member: Member, { restMs }: Limited): void {
    const now = options.now().getTime();
    if (member.restsUntil <= now)
      options.log.info(
        { chain, place: member.place },
        'a node of a chain rests, because its quota is used up',
      );
    member.restsUntil = Math.max(member.restsUntil, now + boundedRest(restMs));
    member.checked = undefined;
  }

  const hasFailed = ({ failedAt, restsUntil }: Member): boolean =>
    restsUntil > options.now().getTime() ||
    (failedAt !== undefined && failedAt > options.now().getTime() - ASKED_LAST_MS);

  const isLast = (member: Member) => member.isBehind || hasFailed(member);

  function inOrder(backwards = false): Member[] {
    const order = backwards ? members.toReversed() : members;
    return [...order.filter((member) => !isLast(member)), ...order.filter(isLast)];
  }

  let comparedAt: number | undefined;

  /** Waits for nodes that failed lately only where the others are too few, because they may hang. */
  async function healthyFirst<T>(
    some: readonly Member[],
    askNodes: (well: Member[]) => Promise<T[]>,
    areEnough: (count: number) => boolean,
  ): Promise<T[]> {
    const [well, failed] = [some.filter((member) => !hasFailed(member)), some.filter(hasFailed)];
    const told = await askNodes(well);
    return areEnough(told.length) ? told : [...told, ...(await askNodes(failed))];
  }

  async function newest(): Promise<Block> {
    const heads = await healthyFirst(members, headsOf, (count) => count > 0);
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

  /** Logs the lag once, until the node has caught up. */
  function compare(member: Member, isBehind: boolean): void {
    if (isBehind && !member.isBehind)
      options.log.warn({ chain, place: member.place }, 'a node of a chain has stopped far behind another');
    member.isBehind = isBehind;
  }

  const said: Nodes['said'] = async (read, { behindToo = false } = {}) => {
    const isOld = comparedAt === undefined || comparedAt <= options.now().getTime() - ASKED_LAST_MS;
    if (isOld && members.length > 1) await newest();
    const current = members.filter(({ isBehind }) => behindToo || !isBehind);
    const toldBy = async (some: readonly Member[]) =>
      answered(await Promise.allSettled(some.map((member) => ask(member, read))));
    const areEnough = (count: number) => areMost({ said: count, of: members.length });
    const told = await healthyFirst(current, toldBy, areEnough);
    if (told.length === 0) throw new ChainAway(chain);
    return { said: told, of: members.length };
  };

  /** The first usable answer of the members, in their order. */
  async function firstOf<T>(
    order: readonly Member[],
    read: (rpc: Rpc) => Promise<T>,
    isEnough: (answer: T) => boolean,
  ): Promise<T> {
    const answers: T[] = [];
    for (const member of order) {
      try {
        const answer = await ask(member, read);
        if (isEnough(answer)) return answer;
        answers.push(answer);
      } catch (error) {
        if (!isFault(error)) throw error;
      }
    }
    if (answers.length === 0) throw new ChainAway(chain);
    return answers[0] as T;
  }

  let looks = 0;
  let seen: { head: Block; at: number } | undefined;

  async function look(maxAgeMs: number): Promise<Block> {
    if (seen && options.now().getTime() < seen.at + maxAgeMs) return seen.head;
    // A node that has stopped would hide new blocks if it were asked each time.
    const turned = inOrder();
    const well = turned.filter((member) => !isLast(member)).length || turned.length;
    const begin = looks % well;
    looks += 1;
    const order = [...turned.slice(begin, well), ...turned.slice(0, begin), ...turned.slice(well)];
    const head = await firstOf(order, readHead, () => true);
    seen = { head, at: options.now().getTime() };
    return head;
  }

  return {
    first: (read, { isEnough = () => true, backwards } = {}) => firstOf(inOrder(backwards), read, isEnough),
    newest,
    look,
    said,
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

/** Compares both height and time. Some chains make many blocks a second, and on an idle chain one block takes long. */
const isFarBehind = (head: Block, best: Block) =>
  best.number - head.number > FAR_BLOCKS && best.at.getTime() - head.at.getTime() > FAR_MS;

export const answered = <T>(outcomes: readonly PromiseSettledResult<T>[]): T[] =>
  outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));

const chainIdOf = (rpc: Rpc) => rpc.call({ method: 'eth_chainId', params: [] }, answers.count);

/** Repeats a reading that mixed two chains. */
async function retryUnsettled<T>(read: () => Promise<T>): Promise<T> {
  for (let reading = 1; ; reading += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unsettled) || reading === READINGS) throw error;
    }
  }
}

/** Whether another address, or another attempt, may succeed. */
export const isFault = (error: unknown): error is NodeAway | NodeRefused | Unsettled =>
  error instanceof NodeAway || error instanceof NodeRefused || error instanceof Unsettled;

const isAway = (error: unknown): error is NodeAway | NodeRefused =>
  error instanceof NodeAway || (error instanceof NodeRefused && error.why === 'not_now');
