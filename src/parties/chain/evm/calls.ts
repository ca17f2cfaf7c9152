import { encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem';
import { asHex } from '../addresses';

/** What nodes are asked for, and the data of calls to a token (EIP-20). */

/** @param units of the token's smallest unit */
export const erc20Transfer = (to: string, units: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [asHex(to), units] });

export const erc20BalanceOf = (owner: string): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [asHex(owner)] });

export const erc20Decimals = (): Hex => encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' });

export const headerCall = (number: number | 'latest') => ({
  method: 'eth_getBlockByNumber',
  params: [typeof number === 'number' ? numberToHex(number) : number, false],
});
