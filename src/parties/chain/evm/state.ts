import { numberToHex } from 'viem';
import { ChainRefused } from '../errors';
import type { Call, SignedAuthorization } from '../port';
import { answers } from './answers';
import { erc20BalanceOf, erc20Decimals } from './calls';
import { NodeRefused } from './faults';
import type { Rpc } from './rpc';

/** Balances and other state of accounts and tokens, at the node's newest block unless a block is given. */

/** @returns undefined: this node knows no token there. @throws ChainRefused `no_token` */
export async function readBalances(
  rpc: Rpc,
  addresses: readonly string[],
  token: string | null,
  atBlock?: number,
): Promise<bigint[] | undefined> {
  const at = atBlock === undefined ? 'latest' : numberToHex(atBlock);
  if (token === null)
    return rpc.all(
      addresses.map((address) => ({ method: 'eth_getBalance', params: [address, at] })),
      answers.quantity,
    );
  const calls = addresses.map((address) => ethCall(token, erc20BalanceOf(address), at));
  const words = await decided('no_token', () => rpc.all(calls, answers.bytes));
  const numbers = words.map(numberIn);
  return numbers.every((number) => number !== undefined) ? numbers : undefined;
}

/** @returns undefined: this node knows no token there. @throws ChainRefused `no_token` */
export async function readDecimals(rpc: Rpc, token: string): Promise<number | undefined> {
  const word = await decided('no_token', () => rpc.call(ethCall(token, erc20Decimals()), answers.bytes));
  const decimals = numberIn(word);
  if (decimals === undefined) return undefined;
  if (decimals > 255n) throw new ChainRefused('no_token'); // decimals is a uint8
  return Number(decimals);
}

export const readNonce = (rpc: Rpc, address: string, at: 'latest' | 'pending' = 'latest') =>
  rpc.call({ method: 'eth_getTransactionCount', params: [address, at] }, answers.count);

/** Counts waiting transactions as well, as far as the node knows them. A node that refuses the question counts none. */
export async function readNextNonce(rpc: Rpc, address: string): Promise<number> {
  try {
    return await readNonce(rpc, address, 'pending');
  } catch (error) {
    if (!(error instanceof NodeRefused)) throw error;
    return readNonce(rpc, address);
  }
}

/** @throws ChainRefused `reverted`, `insufficient_funds` */
export function estimate(rpc: Rpc, call: Call) {
  const asked = { method: 'eth_estimateGas', params: [callOf(call)] };
  return decided(undefined, () => rpc.call(asked, answers.quantity));
}

/** @throws ChainRefused `reverted`, `insufficient_funds` */
export function callOnce(rpc: Rpc, call: Call) {
  const asked = { method: 'eth_call', params: [callOf(call), 'latest'] };
  return decided(undefined, () => rpc.call(asked, answers.bytes));
}

export const readCode = (rpc: Rpc, address: string) =>
  rpc.call({ method: 'eth_getCode', params: [address, 'latest'] }, answers.bytes);

const callOf = ({ from, to, value, data, authorizations = [] }: Call) => ({
  from,
  to,
  value: numberToHex(value),
  data,
  ...(authorizations.length > 0 ? { authorizationList: authorizations.map(authorizationOf) } : {}),
});

const authorizationOf = ({ chainId, contract, nonce, yParity, r, s }: SignedAuthorization) => ({
  chainId: numberToHex(chainId),
  address: contract,
  nonce: numberToHex(nonce),
  yParity: numberToHex(yParity),
  r,
  s,
});

const ethCall = (to: string, data: string, at = 'latest') => ({
  method: 'eth_call',
  params: [{ to, data }, at],
});

/** An address without a contract returns nothing. A node that lags behind the contract's block does too. */
const numberIn = (word: string): bigint | undefined => (word.length === 66 ? BigInt(word) : undefined);

/** A verdict about the call holds for every node, so no other node is asked. @param code replaces the node's reason */
async function decided<T>(code: string | undefined, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NodeRefused && (error.why === 'reverted' || error.why === 'insufficient_funds'))
      throw new ChainRefused(code ?? error.why);
    throw error;
  }
}
