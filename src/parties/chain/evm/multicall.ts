import {
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  multicall3Abi,
  numberToHex,
} from 'viem';
import { portionsOf } from '../../../kernel/in-parallel';
import { asHex } from '../addresses';
import { answers } from './answers';
import { erc20BalanceOf } from './calls';
import { NodeRefused, TimedOut } from './faults';
import { isOfItsSize, type Rpc } from './rpc';
import { readBalances } from './state';

/**
 * Reads the balances of many addresses by calls of Multicall3, a contract that most chains have at one address. A provider counts
 * such a call once. A chain without the contract is asked by requests of several calls.
 */

export const MULTICALL: Hex = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Hashes of the code that may stand at the address: Multicall3, and contracts/Multicall.sol on a local chain. */
const KNOWN_CODES: readonly string[] = [
  '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
  '0x31c5deca75871fccac4da1373e3f3b622794e7fc5e8a2726445410d3f9bccfad',
];

/** Addresses of one call. A balance costs 5,000 to 30,000 gas, and nodes allow about 50 million gas for a call. */
export const OF_A_MULTICALL = 500;

/** With fewer addresses, single calls in one request are as good. */
const FEWEST = 8;

/** Calls at the same time. */
const AT_ONCE = 4;

/** How long a node gets smaller calls after it has found one too large, because it may only have been busy. Milliseconds. */
const SMALLER_MS = 5 * 60_000;

/** What is known of the contract at one node. */
interface AtNode {
  isThere: Promise<boolean>;
  size: CallSize;
}

/** How many addresses a call has that the node has not found too large. */
interface CallSize {
  now(): number;
  /** Several calls of the same size may be refused together, and count once. */
  lower(to: number): void;
}

function createSize(first: number, clock: Clock): CallSize {
  let [lowered, until] = [first, 0];
  const now = () => (clock() < until ? lowered : first);
  return {
    now,
    lower(to) {
      lowered = Math.min(now(), to);
      until = clock() + SMALLER_MS;
    },
  };
}

/** Milliseconds since some moment. */
type Clock = () => number;

/** Reads balances as {@link readBalances}, with the fewest calls. */
export type ReadBalances = typeof readBalances;

/**
 * Returns a reader that remembers, for each node, whether the chain has the contract and how many addresses fit a call.
 * @param size addresses of the first call
 */
export function createBalances(size = OF_A_MULTICALL, clock: Clock = () => performance.now()): ReadBalances {
  const known = new WeakMap<Rpc, AtNode>();

  function nodeAt(rpc: Rpc): AtNode {
    const found = known.get(rpc);
    if (found) return found;
    const made = { isThere: hasMulticall(rpc), size: createSize(size, clock) };
    known.set(rpc, made);
    made.isThere.catch(() => known.delete(rpc)); // no answer tells nothing about the chain
    return made;
  }

  return async (rpc, addresses, token, atBlock) => {
    if (addresses.length < FEWEST) return readBalances(rpc, addresses, token, atBlock);
    const node = nodeAt(rpc);
    const isThere = await node.isThere.catch(falseIfRefused);
    const found = isThere ? await readTogether(rpc, node.size, addresses, { token, atBlock }) : undefined;
    if (!found) return readBalances(rpc, addresses, token, atBlock);
    return withMissing(found, addresses, (some) => readBalances(rpc, some, token, atBlock));
  };
}

/** @throws NodeAway; NodeRefused */
async function hasMulticall(rpc: Rpc): Promise<boolean> {
  const code = await rpc.call({ method: 'eth_getCode', params: [MULTICALL, 'latest'] }, answers.bytes);
  return KNOWN_CODES.includes(keccak256(asHex(code)));
}

/** A node that refuses to show the code gets single calls this time. */
function falseIfRefused(error: unknown): false {
  if (error instanceof NodeRefused) return false;
  throw error;
}

interface Wanted {
  token: string | null;
  atBlock: number | undefined;
}

/** Balance of each address. Undefined where the inner call failed. */
type Found = (bigint | undefined)[];

/**
 * Makes the calls smaller as long as the node finds them too large.
 * @returns undefined: single calls decide, because the node takes only small calls or refuses, or the contract does not answer at
 *   that block
 * @throws NodeAway; NodeRefused `not_now`
 */
async function readTogether(
  rpc: Rpc,
  size: CallSize,
  addresses: readonly string[],
  wanted: Wanted,
): Promise<Found | undefined> {
  const found: Found = [];
  let wasBusy = false;
  while (found.length < addresses.length) {
    const tried = size.now();
    if (tried < FEWEST) return undefined;
    const next = addresses.slice(found.length, found.length + AT_ONCE * tried);
    try {
      const portions = portionsOf(next, tried).map((some) => readPortion(rpc, some, wanted));
      const each = await Promise.all(portions);
      if (each.some((part) => part === undefined)) return undefined;
      for (const part of each) found.push(...(part ?? []));
    } catch (error) {
      const fault = faultOf(error);
      if (fault === 'refused') return undefined;
      if (fault === 'away') throw error;
      // A busy node may be slow for the size of the call. Waiting for it many times would keep another node from being asked.
      size.lower(Math.floor(tried / (fault === 'busy' ? 4 : 2)));
      if (wasBusy && fault === 'busy') throw error;
      wasBusy ||= fault === 'busy';
    }
  }
  return found;
}

/**
 * Nodes bound the gas, the time and the bytes of a call, each with its own error text. Gas that runs out is a revert, and time that runs
 * out reads like a node that has too much to do.
 */
function faultOf(error: unknown): 'tooMuch' | 'busy' | 'refused' | 'away' {
  if (error instanceof NodeRefused)
    return error.why === 'reverted' ? 'tooMuch' : error.why === 'not_now' ? 'busy' : 'refused';
  if (error instanceof TimedOut) return 'busy';
  return isOfItsSize(error) ? 'tooMuch' : 'away';
}

/** @returns undefined: the contract did not exist at that block */
async function readPortion(
  rpc: Rpc,
  addresses: readonly string[],
  { token, atBlock }: Wanted,
): Promise<Found | undefined> {
  const calls = addresses.map((address) => ({
    target: token === null ? MULTICALL : asHex(token),
    allowFailure: true,
    callData: token === null ? coinOf(address) : erc20BalanceOf(address),
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const at = atBlock === undefined ? 'latest' : numberToHex(atBlock);
  // A request of its own, because the answer is long.
  const said = await rpc.alone({ method: 'eth_call', params: [{ to: MULTICALL, data }, at] }, answers.bytes);
  const results = resultsIn(asHex(said));
  if (results?.length !== addresses.length) return undefined;
  return results.map(({ success, returnData }) =>
    success && returnData.length === 66 ? BigInt(returnData) : undefined,
  );
}

const coinOf = (address: string): Hex =>
  encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [asHex(address)] });

function resultsIn(data: Hex) {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data });
  } catch {
    return undefined; // no result of the contract
  }
}

/**
 * Asks again for addresses whose inner call failed, because gas may have run out. The first one is asked alone: it shows a contract
 * that is no token.
 * @param readSingly undefined: the node knows no token there
 */
async function withMissing(
  found: Found,
  addresses: readonly string[],
  readSingly: (some: readonly string[]) => Promise<bigint[] | undefined>,
): Promise<bigint[] | undefined> {
  const places = [...found.keys()].filter((place) => found[place] === undefined);
  for (const some of [places.slice(0, 1), places.slice(1)]) {
    if (some.length === 0) continue;
    const units = await readSingly(some.map((place) => addresses[place] as string));
    if (!units) return undefined;
    for (const [at, place] of some.entries()) found[place] = units[at];
  }
  return found as bigint[];
}
