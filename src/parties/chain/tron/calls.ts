import { encodeAbiParameters } from 'viem';
import { tronAccountOf } from '../addresses';
import { erc20Transfer } from '../evm/calls';

/** A call of a TRC-20 contract, as wallets and TRON's API (`triggersmartcontract`) take it. */
export interface Trc20Call {
  functionSelector: string;
  /** The arguments, ABI-encoded: hexadecimal, without 0x. */
  parameter: string;
  /** The whole call data: the selector's four bytes and the arguments. Hexadecimal, without 0x. */
  data: string;
}

const digits = (hex: string): string => hex.slice(2);

/**
 * Moves units of a token to an address. An argument has the twenty bytes of the account alone: TRON's prefix is no part of it.
 * @param to Base58Check
 */
export function trc20Transfer(to: string, units: bigint): Trc20Call {
  const account = tronAccountOf(to);
  return {
    functionSelector: 'transfer(address,uint256)',
    parameter: digits(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [account, units])),
    data: digits(erc20Transfer(account, units)),
  };
}
