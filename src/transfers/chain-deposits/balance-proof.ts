import { requireHash } from '../../chain/networks/hashes';
import { requireChainAnswer } from '../../chain/networks/nodes/chain-answer';
import { type AskingChains, nodeOf } from '../../chain/networks/nodes/nodes';
import { ledgerAmount, NATIVE_DECIMALS } from '../../chain/networks/rules';
import { requireWallet } from '../../chain/wallets/operations';
import type { Database } from '../../kernel/db/database';
import { conflict, invalid, notFound, unavailable } from '../../kernel/errors';
import {
  areMost,
  depthOf,
  type FinalBy,
  type Mined,
  reportedTransaction,
} from '../../parties/chain/agreement';
import { ChainAway } from '../../parties/chain/errors';
import type { ChainNode, UnshownCoin } from '../../parties/chain/port';
import type { Carried } from './discover';
import { type ChainDepositTerms, unshownOrdinal } from './record';

/** Services that a proof needs. */
export interface Proving extends AskingChains {
  database: Database;
}

/** A coin that a person names. */
export interface NamedCoin {
  chain: string;
  address: string;
  /** The transaction in which a contract passed the coin on. */
  txHash: string;
}

/**
 * Proves native coin that no transaction shows, by the balances at both ends of its block. Asks every node, so call it
 * outside of a transaction.
 * @returns all such coin of the block for the address
 * @throws Problem 404 `chain`, `address`; 400 `txHash`; 409 `invalid_transition` when the network lists no native coin,
 *   the transaction is not final, the nodes disagree, or nothing arrived; 503
 */
export async function provenCoin(services: Proving, named: NamedCoin): Promise<Carried> {
  const { wallet } = await requireWallet(services.database, named);
  if (wallet.purpose !== 'pool') throw notFound('wallet', 'address');
  const { network, node } = await nodeOf(services, services.database, named.chain);
  const asset = network.assets.find(({ contract }) => contract === null);
  if (!asset)
    throw conflict(
      'invalid_transition',
      `${network.name} lists no native coin, so the coin cannot be booked.`,
      'chain',
    );
  const txHash = requireHash(network, named.txHash);
  const { block, from, to } = await minedFor(node, txHash, network);
  const { blockHash, units } = agreed(await unshownIn(node, wallet.address, block.number));
  if (blockHash !== block.hash) throw disagree();
  if (ledgerAmount(units > 0n ? units : 0n, NATIVE_DECIMALS[network.kind], asset.symbol).amount.isZero())
    throw conflict(
      'invalid_transition',
      `The balances at both ends of block ${block.number} show no coin beyond its transactions.`,
      'txHash',
    );
  const ordinal = unshownOrdinal(wallet);
  const where = { ordinal, logIndex: null, token: null, from: to ?? from, to: wallet.address };
  return { asset, transfer: { txHash, ...where, units, block } };
}

/** @throws Problem 400, 409, 503 */
async function minedFor(node: ChainNode, txHash: string, by: FinalBy): Promise<Mined> {
  const { word, isAgreed } = await requireChainAnswer(reportedTransaction(node, txHash));
  if (word.status === 'unknown') throw invalid('txHash is not known to the chain.', 'txHash');
  if (word.status === 'pending') throw invalid('txHash is not in a block yet.', 'txHash');
  if (word.status === 'reverted') throw invalid('txHash was reverted and has moved nothing.', 'txHash');
  const depth = isAgreed ? await requireChainAnswer(depthOf(node, word.block, by)) : 'disputed';
  if (depth === 'disputed') throw disagree();
  if (depth === 'shallow')
    throw conflict(
      'invalid_transition',
      'The transaction has too few confirmations: repeat this later.',
      'txHash',
    );
  return word;
}

/** @throws Problem 503 */
async function unshownIn(node: ChainNode, address: string, block: number) {
  try {
    return await node.unshownOfEach(address, block);
  } catch (error) {
    if (!(error instanceof ChainAway)) throw error;
    throw unavailable(
      `No node knows the balances at both ends of block ${block}. Most nodes drop them soon; archive nodes keep them.`,
    );
  }
}

/** @throws Problem 409 unless most of all nodes tell the same */
function agreed({ said, of }: { said: (UnshownCoin | undefined)[]; of: number }): UnshownCoin {
  const [first] = said;
  const isSame = said.every((each) => each?.blockHash === first?.blockHash && each?.units === first?.units);
  if (!first || !isSame || !areMost({ said: said.length, of })) throw disagree();
  return first;
}

const disagree = () =>
  conflict('invalid_transition', 'Most nodes do not agree on the block: repeat this later.', 'txHash');

/**
 * Refuses to take back a coin that the balances at both ends of its block still show.
 * @throws Problem 409 `invalid_transition`; 503
 */
export async function assertNotShown(
  services: Proving,
  { chain, address, blockNumber, blockHash, units }: ChainDepositTerms,
): Promise<void> {
  const { node } = await nodeOf(services, services.database, chain);
  const { said, of } = await unshownIn(node, address, blockNumber);
  if (!areMost({ said: said.length, of })) throw disagree();
  if (said.some((each) => each?.blockHash === blockHash && each.units >= BigInt(units)))
    throw conflict(
      'invalid_transition',
      `The balances at both ends of block ${blockNumber} still show the coin.`,
    );
}
