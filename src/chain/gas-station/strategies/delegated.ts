import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { asHex } from '../../../parties/chain/addresses';
import { areMost } from '../../../parties/chain/agreement';
import { ChainAway, ChainRefused, NodesDisagree } from '../../../parties/chain/errors';
import type { Call, ChainNode, SignedAuthorization } from '../../../parties/chain/port';
import { gasLimitOf, MAX_GAS } from '../rules';
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
 * The wallet takes the code of a contract that moves tokens to the treasury at the station's word (EIP-7702), and the station calls
 * it: the wallet needs no native coin. It takes the code with its first sweep; the next ones find it there.
 */
export const delegated: SweepStrategy = {
  name: 'delegated',
  sender: 'station',
  async callOf(parties, sweep) {
    const of = delegateOf(sweep);
    const authorization = await authorizationOf(parties, sweep, delegateAddress(of));
    return {
      ...{ from: of.station, to: sweep.wallet, value: 0n, data: sweepData(sweep.token) },
      authorizations: authorization ? [authorization] : [],
    };
  },
};

/** The most wallets of one transaction; how many fit is decided by its gas. */
export const MAX_OF_BATCH = 100;

/** What a wallet's authorization (25,000), the contract and the token's `balanceOf` use at most beside the transfer. */
export const BESIDE_TRANSFER = 40_000n;

/** Several wallets of one token in one transaction of the station. */
export interface Batch {
  /** The sweeps that fit, in the order given. */
  sweeps: Sweep[];
  call: Call;
  /** Its gas limit. A wallet that fails may burn its whole part, and the others must still arrive. */
  gas: bigint;
}

/**
 * Makes one transaction of as many wallets as a transaction has gas for. The batch leaves a wallet that fails as it is, so each wallet is
 * estimated by itself before.
 * @returns with it the sweeps that the chain would revert, or the token refuse, which are no part of it. No batch: the chain refuses
 *   all of them
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

/** @param gasEach what each wallet's part may use */
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
    const wallets = taken.map(({ wallet }) => wallet);
    const call = {
      ...{ from: of.station, to: contract, value: 0n },
      data: sweepAllData(first.token, wallets, gasEach),
      authorizations: authorizations.slice(0, taken.length).filter((each) => each !== undefined),
    };
    const spare = gasEach * BigInt(taken.length);
    const estimate = await estimateOf(parties.node, call);
    const gas = estimate === undefined ? undefined : gasLimitOf(estimate, spare);
    if (gas !== undefined) return { sweeps: taken, call, gas };
    // A node does not say how much gas it is that it refuses to estimate.
    const fewer = estimate === undefined ? taken.length / 2 : fitting(taken.length, estimate + spare);
    taken = taken.slice(0, Math.floor(fewer));
  }
  return undefined;
}

/** How many of so many wallets fit into one transaction, where all of them need that gas. */
const fitting = (count: number, gas: bigint): number =>
  gas <= MAX_GAS ? count : Number((BigInt(count) * MAX_GAS) / gas);

/** Nothing: the chain would revert it, or the token would not move it. */
const transferGas = async (node: ChainNode, sweep: Sweep): Promise<bigint | undefined> =>
  (await isTransferable(node, sweep)) ? estimateOf(node, transferOf(sweep)) : undefined;

/** Nothing: the chain would revert it. */
async function estimateOf(node: ChainNode, call: Call): Promise<bigint | undefined> {
  try {
    return await node.estimateGas(call);
  } catch (error) {
    if (error instanceof ChainRefused) return undefined;
    throw error;
  }
}

/** Nothing: the wallet has the contract's code already. One that has another's takes ours instead. */
async function authorizationOf(
  { node, chain, authorize }: SweepParties,
  { wallet }: Sweep,
  contract: string,
): Promise<SignedAuthorization | undefined> {
  if ((await node.code(wallet)) === delegationTo(contract)) return undefined;
  return authorize(wallet, { contract, nonce: await exactNonce(node, chain, wallet) });
}

/** Under any other one the chain passes over the authorization, and the call moves nothing. @throws NodesDisagree */
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
 * Whether a chain can do it: it knows EIP-7702, and the contract of that treasury and station stands there. Asked by a call, with
 * the authorization of a key that is made for it and forgotten: nothing is sent, and no key of ours is opened.
 * @throws ChainAway
 */
export async function canDelegate(node: ChainNode, chainId: number, of: DelegateOf): Promise<boolean> {
  const contract = delegateAddress(of);
  const probe = privateKeyToAccount(generatePrivateKey());
  const signed = await probe.signAuthorization({ chainId, nonce: 0, contractAddress: asHex(contract) });
  const { r, s, yParity = 0 } = signed;
  try {
    const answer = await node.call({
      ...{ from: of.station, to: probe.address, value: 0n, data: treasuryData() },
      authorizations: [{ chainId, contract, nonce: 0, yParity, r, s }],
    });
    return answer.endsWith(of.treasury.slice(2).toLowerCase());
  } catch (error) {
    if (error instanceof ChainRefused) return false;
    if (!(error instanceof ChainAway)) throw error;
    // A node that does not know EIP-7702 may refuse such a call: it is there for other ones then.
    await node.code(contract);
    return false;
  }
}
