import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem';
import contracts from '../../../../contracts/contracts.json';
import { asHex } from '../../../parties/chain/addresses';
import { create2Address, create2Deployment } from '../../../parties/chain/create2';

/** The contract that wallets delegate to (contracts/SweepDelegate.sol), and what is called of it. */

const { abi: ABI, bytecode: BYTECODE } = contracts.SweepDelegate as { abi: Abi; bytecode: Hex };

/** What the contract moves to, and at whose word: both are part of its bytecode. */
export interface DelegateOf {
  treasury: string;
  station: string;
}

const initCode = ({ treasury, station }: DelegateOf): Hex =>
  encodeDeployData({ abi: ABI, bytecode: BYTECODE, args: [treasury, station] });

/**
 * Where the contract of that treasury and station stands, or would: no other contract can, so its address needs no setting that
 * could be wrong.
 */
export const delegateAddress = (of: DelegateOf): string => create2Address(initCode(of));

/** What puts it there; anybody may send it, once. */
export const deploymentOf = (of: DelegateOf): { to: Hex; data: Hex } => create2Deployment(initCode(of));

/** The code of an address that has delegated to a contract (EIP-7702). */
export const delegationTo = (contract: string): string => `0xef0100${contract.slice(2).toLowerCase()}`;

export const sweepData = (token: string): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'sweep', args: [asHex(token)] });

/** @param gasEach what each wallet's part may use */
export const sweepAllData = (token: string, wallets: readonly string[], gasEach: bigint): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'sweepAll', args: [asHex(token), wallets, gasEach] });

/** Asks a wallet, or the contract, where it moves to. */
export const treasuryData = (): Hex => encodeFunctionData({ abi: ABI, functionName: 'treasury' });
