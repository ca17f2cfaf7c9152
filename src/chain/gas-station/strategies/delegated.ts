import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { asHex } from '../../../parties/chain/addresses';
import { areMost } from '../../../parties/chain/agreement';
import { ChainAway, ChainRefused, NodesDisagree } from '../../../parties/chain/errors';
import type { Call, ChainNode, SignedAuthorization } from '../../../parties/chain/port';
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

/** The most wallets of one transaction: at some 30,000 gas each it takes a tenth of a block of 36 million. */
export const MOST_OF_BATCH = 100;

/** What a wallet's authorization (25,000), the contract and the token's `balanceOf` use at most beside the transfer. */
export const BESIDE_TRANSFER = 40_000n;

/**
 * Several wallets of one token in one transaction. A wallet that fails is left as it is, so each is estimated by itself before.
 * @returns the transaction with what its wallets may use beyond an estimate of it: one that fails may burn all that it is given, and
 *   the others are to arrive; and the sweeps that the chain would revert, or the token refuse, which are no part of it. No transaction without any other
 * @throws ChainAway
 */
export async function batchOf(
  parties: SweepParties,
  sweeps: readonly Sweep[],
): Promise<{ call?: Call; spareGas: bigint; refused: Sweep[] }> {
  const estimates = await Promise.all(sweeps.map((sweep) => transferGas(parties.node, sweep)));
  const isRefused = (_: Sweep, place: number) => estimates[place] === undefined;
  const taken = sweeps.filter((sweep, place) => !isRefused(sweep, place));
  const [first] = taken;
  const refused = sweeps.filter(isRefused);
  if (!first) return { spareGas: 0n, refused };
  const of = delegateOf(first);
  const contract = delegateAddress(of);
  const authorizations = await Promise.all(taken.map((sweep) => authorizationOf(parties, sweep, contract)));
  const most = estimates.reduce<bigint>((gas, each) => (each !== undefined && each > gas ? each : gas), 0n);
  const wallets = taken.map(({ wallet }) => wallet);
  const gasEach = most + BESIDE_TRANSFER;
  const call = {
    ...{ from: of.station, to: contract, value: 0n },
    data: sweepAllData(first.token, wallets, gasEach),
    authorizations: authorizations.filter((each) => each !== undefined),
  };
  return { call, spareGas: gasEach * BigInt(wallets.length), refused };
}

/** Nothing: the chain would revert it, or the token would not move it. */
async function transferGas(node: ChainNode, sweep: Sweep): Promise<bigint | undefined> {
  if (!(await isTransferable(node, sweep))) return undefined;
  try {
    return await node.estimateGas(transferOf(sweep));
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
