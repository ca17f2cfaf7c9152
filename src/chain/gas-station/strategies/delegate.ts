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

export const sweepData = (token: string): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'sweep', args: [asHex(token)] });

/** @param gasEach most gas of each wallet's part */
export const sweepAllData = (token: string, wallets: readonly string[], gasEach: bigint): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'sweepAll', args: [asHex(token), wallets, gasEach] });

/** Reads the call of {@link sweepAllData}. Undefined for the data of any other call, and for data with more behind it. */
export function sweepAllOf(data: string): { token: string; wallets: readonly string[] } | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: ABI, data: asHex(data) });
    if (functionName !== 'sweepAll') return undefined;
    const [token, wallets, gasEach] = args as [string, readonly string[], bigint];
    return sweepAllData(token, wallets, gasEach) === data.toLowerCase() ? { token, wallets } : undefined;
  } catch {
    return undefined;
  }
}

/** Call that returns the treasury of a wallet or of the contract. */
export const treasuryData = (): Hex => encodeFunctionData({ abi: ABI, functionName: 'treasury' });
