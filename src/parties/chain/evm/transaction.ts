import { getAddress } from 'viem';
import { asHex } from '../addresses';
import type { ChainTransaction } from '../port';
import { answers, blockOf, type KnownTransaction } from './answers';
import { Unsettled } from './faults';
import type { Rpc } from './rpc';
import { nativeTransfer, tokenTransfers } from './transfers';

export const transactionCall = (hash: string) => ({ method: 'eth_getTransactionByHash', params: [hash] });

/**
 * What one node knows about a transaction.
 * @throws Unsettled the transaction moved to another block meanwhile
 */
export async function readTransaction(rpc: Rpc, text: string): Promise<ChainTransaction> {
  const hash = text.toLowerCase();
  const [sent, receipt] = await Promise.all([
    rpc.call(transactionCall(hash), answers.transaction),
    rpc.call({ method: 'eth_getTransactionReceipt', params: [hash] }, answers.receipt),
  ]);
  if (!receipt) return sent ? pendingOf(sent) : { status: 'unknown' };
  if (sent?.hash !== hash || receipt.transactionHash !== hash) throw new Unsettled();
  // The first answer may show no block, because it came earlier or from a pool that lags. Its other fields are the
  // same.
  if ((sent.blockHash ?? receipt.blockHash) !== receipt.blockHash) throw new Unsettled();
  const byHash = { method: 'eth_getBlockByHash', params: [receipt.blockHash, false] };
  const header = await rpc.call(byHash, answers.header);
  if (header?.hash !== receipt.blockHash) throw new Unsettled();
  const block = blockOf(header);
  return {
    status: receipt.status === 1 ? 'succeeded' : 'reverted',
    block,
    from: getAddress(asHex(sent.from)),
    to: sent.to ? getAddress(asHex(sent.to)) : null,
    nonce: sent.nonce,
    fee: receipt.gasUsed * receipt.effectiveGasPrice + (receipt.l1Fee ?? 0n),
    ...(receipt.l1Fee === null || receipt.l1Fee === undefined ? {} : { feeBelow: receipt.l1Fee }),
    gasUsed: receipt.gasUsed,
    transfers: [...nativeTransfer(sent, receipt, block), ...tokenTransfers(receipt, block)],
  };
}

/** A node that omits the data has not shown what the transaction does. */
function pendingOf({ from, to, nonce, value, input }: KnownTransaction): ChainTransaction {
  if (input === undefined || input === null) return { status: 'pending' };
  const [sender, recipient] = [getAddress(asHex(from)), to ? getAddress(asHex(to)) : null];
  return { status: 'pending', sent: { from: sender, to: recipient, nonce, value, data: input } };
}
