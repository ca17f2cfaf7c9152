import { decodeFunctionData, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem';
import { asHex } from '../addresses';
import type { FinalTag } from '../port';

/** Parameters of requests to nodes, and the data of calls to a token (EIP-20). */

/** @param units in the token's smallest unit */
export const erc20Transfer = (to: string, units: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [asHex(to), units] });

/** Decodes the data of a token transfer. Undefined for the data of any other call. */
export function erc20TransferOf(data: string): { to: string; units: bigint } | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: asHex(data) });
    return functionName === 'transfer' ? { to: args[0], units: args[1] } : undefined;
  } catch {
    return undefined;
  }
}

export const erc20BalanceOf = (owner: string): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [asHex(owner)] });

export const erc20Decimals = (): Hex => encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' });

export const headerCall = (number: number | 'latest' | FinalTag) => ({
  method: 'eth_getBlockByNumber',
  params: [typeof number === 'number' ? numberToHex(number) : number, false],
});
