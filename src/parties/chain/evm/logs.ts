import { encodeEventTopics, erc20Abi, getAddress, numberToHex } from 'viem';
import { portionsOf } from '../../../kernel/in-parallel';
import { asHex } from '../addresses';
import { type AddressSet, MAX_ASKED_FOR, OF_A_CALL } from '../port';
import { answers, type Log } from './answers';
import { NodeRefused, TooLong } from './faults';
import type { Rpc } from './rpc';

/** Logs of transfers to our addresses, in requests that nodes accept. */

/** `Transfer(address indexed from, address indexed to, uint256 value)` (EIP-20). */
const EVENT = { abi: erc20Abi, eventName: 'Transfer' } as const;
const [TRANSFER] = encodeEventTopics(EVENT);

export interface BlockRange {
  from: number;
  to: number;
}

/**
 * Reads a transfer of a token. viem's decoder accepts a fourth topic, longer data, and an address with leading digits.
 * @returns undefined for another event, a removed one, a token of EIP-721 (indexed value), and a transfer of nothing
 */
export function movedBy({ topics, data, removed }: Log) {
  const [event, from, to, ...more] = topics;
  if (event !== TRANSFER || more.length > 0 || data.length !== 66 || removed === true) return undefined;
  const [sender, receiver] = [addressIn(from), addressIn(to)];
  const units = BigInt(data);
  return sender && receiver && sender !== receiver && units > 0n
    ? { from: sender, to: receiver, units }
    : undefined;
}

/** Reads an address of 32 bytes: 12 zero bytes and the address. */
function addressIn(topic: string | undefined): string | undefined {
  return topic?.startsWith(`0x${'0'.repeat(24)}`) ? getAddress(`0x${topic.slice(-40)}`) : undefined;
}

/**
 * The logs to the addresses: of any contract, or of the listed ones where the addresses are more than {@link
 * MAX_ASKED_FOR}.
 * @param ours in lower case
 */
export const transferLogs = (
  rpc: Rpc,
  range: BlockRange,
  ours: AddressSet,
  listed: readonly string[],
): Promise<FoundLogs> =>
  ours.size > MAX_ASKED_FOR ? matchedLogs(rpc, range, ours, listed) : logsTo(rpc, range, [...ours], listed);

interface FoundLogs {
  logs: Log[];
  /** Blocks of which only the listed contracts' logs were read. */
  inPart: number[];
}

/**
 * Logs of any contract to the addresses. Only logs of the listed contracts where a node cannot return all of a block.
 */
async function logsTo(
  rpc: Rpc,
  range: BlockRange,
  addresses: readonly string[],
  listed: readonly string[],
): Promise<FoundLogs> {
  const logs: Log[] = [];
  const inPart = new Set<number>();
  for (const some of portionsOf(addresses, OF_A_CALL)) {
    const found = await halving(
      range,
      async (part) => (await askLogs(rpc, part, some)).filter(isTransfer),
      // A flood of worthless tokens may exceed the node's limit in one block, and must not hide the listed tokens.
      async (block) => ({ logs: await listedLogs(rpc, block, some, listed), inPart: [block] }),
    );
    logs.push(...found.logs);
    for (const number of found.inPart) inPart.add(number);
  }
  return { logs, inPart: [...inPart] };
}

/**
 * The logs of the listed contracts to the addresses, matched here. A block that a node refuses is asked for by addresses.
 */
async function matchedLogs(
  rpc: Rpc,
  range: BlockRange,
  ours: AddressSet,
  listed: readonly string[],
): Promise<FoundLogs> {
  if (listed.length === 0) return { logs: [], inPart: [] };
  // Compared before anything is decoded, because most logs are not ours.
  const isOurs = (log: Log) => ours.has(`0x${log.topics[2]?.slice(-40)}`) && isTransfer(log);
  return halving(
    range,
    async (part) => (await askLogs(rpc, part, undefined, listed)).filter(isOurs),
    async (block) => {
      const logs: Log[] = [];
      for (const some of portionsOf([...ours], OF_A_CALL))
        logs.push(...(await listedLogs(rpc, block, some, listed)));
      return { logs, inPart: [] };
    },
  );
}

const isTransfer = (log: Log): boolean => movedBy(log) !== undefined;

/**
 * Halves the range where the node refuses it. Nodes bound the blocks or the logs, each with its own error text.
 * @param ofBlock reads a block of which the node refuses the logs
 */
async function halving(
  { from, to }: BlockRange,
  ask: (range: BlockRange) => Promise<Log[]>,
  ofBlock: (block: number) => Promise<FoundLogs>,
): Promise<FoundLogs> {
  try {
    return { logs: await ask({ from, to }), inPart: [] };
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    if (from >= to) return ofBlock(from);
    const middle = Math.floor((from + to) / 2);
    const first = await halving({ from, to: middle }, ask, ofBlock);
    const second = await halving({ from: middle + 1, to }, ask, ofBlock);
    return { logs: [...first.logs, ...second.logs], inPart: [...first.inPart, ...second.inPart] };
  }
}

/** The transfers of the listed contracts in a block. Halves the addresses where the node finds the logs too many. */
async function listedLogs(
  rpc: Rpc,
  block: number,
  addresses: readonly string[],
  listed: readonly string[],
): Promise<Log[]> {
  if (listed.length === 0) return [];
  try {
    return (await askLogs(rpc, { from: block, to: block }, addresses, listed)).filter(isTransfer);
  } catch (error) {
    if (!isTooMuch(error) || addresses.length === 1) throw error;
    const middle = Math.ceil(addresses.length / 2);
    const first = await listedLogs(rpc, block, addresses.slice(0, middle), listed);
    return [...first, ...(await listedLogs(rpc, block, addresses.slice(middle), listed))];
  }
}

const isTooMuch = (error: unknown) => error instanceof NodeRefused || error instanceof TooLong;

/**
 * @param addresses absent: any recipient
 * @param contracts absent: any contract
 */
function askLogs(
  rpc: Rpc,
  { from, to }: BlockRange,
  addresses: readonly string[] | undefined,
  contracts?: readonly string[],
): Promise<Log[]> {
  const filter = {
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
    topics: addresses
      ? encodeEventTopics({ ...EVENT, args: { to: addresses.map(asHex) } })
      : encodeEventTopics(EVENT),
    ...(contracts ? { address: contracts } : {}),
  };
  return rpc.alone({ method: 'eth_getLogs', params: [filter] }, answers.logs);
}
