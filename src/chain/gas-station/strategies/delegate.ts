import { type Abi, encodeDeployData, encodeFunctionData, getCreate2Address, type Hex, zeroHash } from 'viem';
import contracts from '../../../../contracts/contracts.json';
import { asHex } from '../../../parties/chain/addresses';
import type { Call } from '../../../parties/chain/port';

/** The contract that wallets delegate to (contracts/SweepDelegate.sol), and what is called of it. */

const { abi: ABI, bytecode: BYTECODE } = contracts.SweepDelegate as { abi: Abi; bytecode: Hex };

/**
 * Makes contracts at addresses that follow from their bytecode (EIP-1014). Of Arachnid's deterministic-deployment-proxy, which stands
 * at this address on most chains, and on anvil's.
 */
const FACTORY: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

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
export const delegateAddress = (of: DelegateOf): string =>
  getCreate2Address({ from: FACTORY, salt: zeroHash, bytecode: initCode(of) });

/** What puts it there; anybody may send it, once. */
export const deploymentOf = (of: DelegateOf): Pick<Call, 'to' | 'value' | 'data'> => ({
  ...{ to: FACTORY, value: 0n, data: `${zeroHash}${initCode(of).slice(2)}` },
});

/** The code of an address that has delegated to a contract (EIP-7702). */
export const delegationTo = (contract: string): string => `0xef0100${contract.slice(2).toLowerCase()}`;

export const sweepData = (token: string): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'sweep', args: [asHex(token)] });

/** @param gasEach what each wallet's part may use */
export const sweepAllData = (token: string, wallets: readonly string[], gasEach: bigint): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'sweepAll', args: [asHex(token), wallets, gasEach] });

/** Asks a wallet, or the contract, where it moves to. */
export const treasuryData = (): Hex => encodeFunctionData({ abi: ABI, functionName: 'treasury' });
