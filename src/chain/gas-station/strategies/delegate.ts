import { type Abi, decodeFunctionData, encodeDeployData, encodeFunctionData, type Hex } from 'viem';
import contracts from '../../../../contracts/contracts.json';
import { asHex } from '../../../parties/chain/addresses';
import { create2Address, create2Deployment } from '../../../parties/chain/create2';

/** Calls of the contract that wallets delegate to (contracts/SweepDelegate.sol). */

const { abi: ABI, bytecode: BYTECODE } = contracts.SweepDelegate as { abi: Abi; bytecode: Hex };

/** Receiver and caller that the contract accepts. Both are part of its bytecode. */
export interface DelegateOf {
  treasury: string;
  station: string;
}

const initCode = ({ treasury, station }: DelegateOf): Hex =>
  encodeDeployData({ abi: ABI, bytecode: BYTECODE, args: [treasury, station] });

/**
 * Address of the contract for a treasury and station. It follows from the bytecode (CREATE2), so no setting can be
 * wrong.
 */
export const delegateAddress = (of: DelegateOf): string => create2Address(initCode(of));

/** The transaction that deploys the contract. Anybody may send it, once. */
export const deploymentOf = (of: DelegateOf): { to: Hex; data: Hex } => create2Deployment(initCode(of));

/** Code of an address that has delegated to a contract (EIP-7702). */
export const delegationTo = (contract: string): string => `0xef0100${contract.slice(2).toLowerCase()}`;

/** What a sweep moves from one wallet, in the token's smallest units. */
export interface SweptPart {
  wallet: string;
  units: bigint;
}

export const sweepData = (token: string, units: bigint): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'sweep', args: [asHex(token), units] });

/** @param gasEach most gas of each wallet's part */
export const sweepAllData = (token: string, parts: readonly SweptPart[], gasEach: bigint): Hex =>
  encodeFunctionData({
    abi: ABI,
    functionName: 'sweepAll',
    args: [
      asHex(token),
      parts.map(({ wallet, units }) => ({ wallet: asHex(wallet), amount: units })),
      gasEach,
    ],
  });

/** What a call of the contract moves, of one wallet by {@link sweepData} or of several by {@link sweepAllData}. */
export interface DelegatedCall {
  of: 'wallet' | 'batch';
  /** Checksummed. */
  token: string;
  /** Of all wallets. */
  units: bigint;
}

/** Reads a call of the contract. Undefined for the data of any other call, and for data with more behind it. */
export function delegatedCallOf(data: string): DelegatedCall | undefined {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: ABI, data: asHex(data) });
    // Encoded again, because a decoder accepts data with more behind it.
    if (encodeFunctionData({ abi: ABI, functionName, args }) !== data.toLowerCase()) return undefined;
    if (functionName === 'sweep') {
      const [token, units] = args as [string, bigint];
      return { of: 'wallet', token, units };
    }
    if (functionName !== 'sweepAll') return undefined;
    const [token, parts] = args as [string, readonly { amount: bigint }[], bigint];
    return { of: 'batch', token, units: parts.reduce((sum, { amount }) => sum + amount, 0n) };
  } catch {
    return undefined;
  }
}

/** Call that returns the treasury of a wallet or of the contract. */
export const treasuryData = (): Hex => encodeFunctionData({ abi: ABI, functionName: 'treasury' });
