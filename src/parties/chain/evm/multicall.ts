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
import { BadStatus, NodeRefused, TooLong } from './faults';
import type { Rpc } from './rpc';
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

/** What is known of the contract at one node. */
interface AtNode {
  isThere: Promise<boolean>;
  /** Addresses of a call that the node has not found too many. */
  size: number;
}

/** Reads balances as {@link readBalances}, with the fewest calls. */
export type ReadBalances = typeof readBalances;

/**
 * Returns a reader that remembers, for each node, whether the chain has the contract and how many addresses fit a call.
 * @param size addresses of the first call
 */
export function createBalances(size = OF_A_MULTICALL): ReadBalances {
  const known = new WeakMap<Rpc, AtNode>();

  function nodeAt(rpc: Rpc): AtNode {
    const found = known.get(rpc);
    if (found) return found;
    const isThere = hasMulticall(rpc);
    const made = { isThere, size };
    known.set(rpc, made);
    isThere.catch(() => known.delete(rpc)); // no answer tells nothing about the chain
    return made;
  }

  return async (rpc, addresses, token, atBlock) => {
    if (addresses.length < FEWEST) return readBalances(rpc, addresses, token, atBlock);
    const node = nodeAt(rpc);
    const isThere = await node.isThere;
    const found = isThere ? await readTogether(rpc, node, addresses, { token, atBlock }) : undefined;
    if (!found) return readBalances(rpc, addresses, token, atBlock);
    return withMissing(found, addresses, (some) => readBalances(rpc, some, token, atBlock));
  };
}

/** A node that refuses the question counts as one without the contract. @throws NodeAway */
async function hasMulticall(rpc: Rpc): Promise<boolean> {
  try {
    const code = await rpc.call({ method: 'eth_getCode', params: [MULTICALL, 'latest'] }, answers.bytes);
    return KNOWN_CODES.includes(keccak256(asHex(code)));
  } catch (error) {
    if (error instanceof NodeRefused) return false;
    throw error;
  }
}

interface Wanted {
  token: string | null;
  atBlock: number | undefined;
}

/** Balance of each address. Undefined where the inner call failed. */
type Found = (bigint | undefined)[];

/**
 * Halves the size of a call as long as the node finds it too large.
 * @returns undefined: the contract does not answer at that block, or the node takes only small calls
 */
async function readTogether(
  rpc: Rpc,
  node: AtNode,
  addresses: readonly string[],
  wanted: Wanted,
): Promise<Found | undefined> {
  const found: Found = [];
  while (found.length < addresses.length) {
    if (node.size < FEWEST) return undefined;
    const next = addresses.slice(found.length, found.length + AT_ONCE * node.size);
    try {
      const portions = portionsOf(next, node.size).map((some) => readPortion(rpc, some, wanted));
      const each = await Promise.all(portions);
      if (each.some((part) => part === undefined)) return undefined;
      for (const part of each) found.push(...(part ?? []));
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      node.size = Math.floor(node.size / 2);
    }
  }
  return found;
}

/** Nodes bound the gas, the time and the bytes of a call, each with its own error text. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof TooLong ||
  (error instanceof BadStatus && error.status === 413) ||
  (error instanceof NodeRefused && error.why !== 'refused');

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
