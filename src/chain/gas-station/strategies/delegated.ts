import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { asHex } from '../../../parties/chain/addresses';
import { areMost } from '../../../parties/chain/agreement';
import { ChainAway, ChainRefused, NodesDisagree } from '../../../parties/chain/errors';
import type { Call, ChainNode, SignedAuthorization } from '../../../parties/chain/port';
import { gasLimitOf, MAX_GAS, mostDataFee } from '../rules';
import {
  type DelegateOf,
  delegateAddress,
  delegationTo,
  sweepAllData,
  sweepData,
  treasuryData,
} from './delegate';
import type { Sweep, SweepParties, SweepStrategy } from './port';
import { isTransferable, transferOf } from './transfer';

/**
 * The wallet delegates to a contract that moves tokens to the treasury on the station's call (EIP-7702), so it needs no
 * native coin. The first sweep brings the delegation, and later ones find it there.
 */
export const delegated: SweepStrategy = {
  name: 'delegated',
  sender: 'station',
  async callOf(parties, sweep) {
    const of = delegateOf(sweep);
    const authorization = await authorizationOf(parties, sweep, delegateAddress(of));
    return {
      from: of.station,
      to: sweep.wallet,
      value: 0n,
      data: sweepData(sweep.token, sweep.units),
      authorizations: authorization ? [authorization] : [],
    };
  },
};

/** Most wallets of one transaction. Gas may allow fewer. */
export const MAX_OF_BATCH = 100;

/** Most gas of a wallet's authorization (25,000) and the contract, beyond the transfer. */
export const BESIDE_TRANSFER = 40_000n;

/** Sweeps of one token from several wallets in one transaction of the station. */
export interface Batch {
  /** The sweeps that fit, in the given order. */
  sweeps: Sweep[];
  call: Call;
  /** Gas limit. A failing wallet may burn its whole part, and the others must still succeed. */
  gas: bigint;
  /** Most that the chain below takes beside gas. */
  dataFee: bigint;
}

/**
 * Makes one transaction of as many wallets as its gas allows. Estimates each wallet by itself, because the batch skips
 * a failing wallet silently.
 * @returns also the sweeps that the chain would revert or the token refuse. No batch: the chain refuses all
 * @throws ChainAway; NodesDisagree
 */
export async function batchOf(
  parties: SweepParties,
  sweeps: readonly Sweep[],
): Promise<{ batch?: Batch; refused: Sweep[] }> {
  const estimates = await Promise.all(sweeps.map((sweep) => transferGas(parties.node, sweep)));
  const isRefused = (_: Sweep, place: number) => estimates[place] === undefined;
  const taken = sweeps.filter((sweep, place) => !isRefused(sweep, place));
  const refused = sweeps.filter(isRefused);
  const most = estimates.reduce<bigint>((gas, each) => (each !== undefined && each > gas ? each : gas), 0n);
  const batch = await fittingBatch(parties, taken, most + BESIDE_TRANSFER);
  return { refused, ...(batch && { batch }) };
}

/** @param gasEach most gas of each wallet's part */
async function fittingBatch(
  parties: SweepParties,
  sweeps: readonly Sweep[],
  gasEach: bigint,
): Promise<Batch | undefined> {
  const [first] = sweeps;
  if (!first) return undefined;
  const of = delegateOf(first);
  const contract = delegateAddress(of);
  let taken = sweeps.slice(0, fitting(sweeps.length, gasEach * BigInt(sweeps.length)));
  const authorizations = await Promise.all(taken.map((sweep) => authorizationOf(parties, sweep, contract)));
  while (taken.length > 0) {
    const call = {
      from: of.station,
      to: contract,
      value: 0n,
      data: sweepAllData(first.token, taken, gasEach),
      authorizations: authorizations.slice(0, taken.length).filter((each) => each !== undefined),
    };
    const spare = gasEach * BigInt(taken.length);
    const estimate = await estimateOf(parties.node, call);
    const data = await parties.node.dataCost(parties.feeModel, call);
    const gas = estimate === undefined ? undefined : gasLimitOf(estimate, spare + data.gas);
    if (gas !== undefined) return { sweeps: taken, call, gas, dataFee: mostDataFee(data) };
    // A node that refuses an estimate does not report the gas, so the batch is halved.
    const fewer = estimate === undefined ? taken.length / 2 : fitting(taken.length, estimate + spare);
    taken = taken.slice(0, Math.floor(fewer));
  }
  return undefined;
}

/** How many wallets fit into one transaction when all of them need this gas. */
const fitting = (count: number, gas: bigint): number =>
  gas <= MAX_GAS ? count : Number((BigInt(count) * MAX_GAS) / gas);

/** Undefined when the chain would revert it, or the token would not move it. */
const transferGas = async (node: ChainNode, sweep: Sweep): Promise<bigint | undefined> =>
  (await isTransferable(node, sweep)) ? estimateOf(node, transferOf(sweep)) : undefined;

/** Undefined when the chain would revert it. */
async function estimateOf(node: ChainNode, call: Call): Promise<bigint | undefined> {
  try {
    return await node.estimateGas(call);
  } catch (error) {
    if (error instanceof ChainRefused) return undefined;
    throw error;
  }
}

/** Undefined when the wallet has the contract's code already. A delegation to another contract is replaced. */
async function authorizationOf(
  { node, chain, authorize }: SweepParties,
  { wallet }: Sweep,
  contract: string,
): Promise<SignedAuthorization | undefined> {
  if ((await node.code(wallet)) === delegationTo(contract)) return undefined;
  return authorize(wallet, { contract, nonce: await exactNonce(node, chain, wallet) });
}

/**
 * The chain skips an authorization with another nonce, and the call then moves nothing.
 * @throws NodesDisagree
 */
async function exactNonce(node: ChainNode, chain: string, wallet: string): Promise<number> {
  const { counted, each, of } = await node.noncesOf(wallet);
  const said = each.filter((told) => told.counted === counted).length;
  if (!areMost({ said, of })) throw new NodesDisagree(chain);
  return counted;
}

function delegateOf({ treasury, station }: Sweep): DelegateOf {
  if (station === null) throw new Error('a delegated sweep is paid for by a station');
  return { treasury, station };
}

/**
 * Whether a chain supports delegated sweeps: it knows EIP-7702, and the contract of that treasury and station is
 * deployed. Asks by a call with the authorization of a temporary key. Nothing is sent, and no key of ours is opened.
 * @throws ChainAway
 */
export async function canDelegate(node: ChainNode, chainId: number, of: DelegateOf): Promise<boolean> {
  const contract = delegateAddress(of);
  const probe = privateKeyToAccount(generatePrivateKey());
  const signed = await probe.signAuthorization({ chainId, nonce: 0, contractAddress: asHex(contract) });
  const { r, s, yParity = 0 } = signed;
  try {
    const answer = await node.call({
      from: of.station,
      to: probe.address,
      value: 0n,
      data: treasuryData(),
      authorizations: [{ chainId, contract, nonce: 0, yParity, r, s }],
    });
    return answer.endsWith(of.treasury.slice(2).toLowerCase());
  } catch (error) {
    if (error instanceof ChainRefused) return false;
    if (!(error instanceof ChainAway)) throw error;
    // A node without EIP-7702 may fail such a call. If it answers another call, the chain does not support it.
    await node.code(contract);
    return false;
  }
}
