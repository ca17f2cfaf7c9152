import type { UnshownCoin } from '../port';
import { answers, type Receipt, type Sent } from './answers';
import { headerCall } from './calls';
import { Unsettled } from './faults';
import type { Rpc } from './rpc';
import { readBalances } from './state';
import { receiptsOf } from './transfers';

/**
 * Native coin that a block brought to an address and that no transaction shows. It is the change of the balance less
 * what transactions moved, fees included.
 * @returns undefined where the node has no such block
 * @throws NodeRefused the node does not keep the balances of that block; Unsettled the chain was reorganised meanwhile
 */
export async function readUnshown(
  rpc: Rpc,
  address: string,
  number: number,
): Promise<UnshownCoin | undefined> {
  const own = address.toLowerCase();
  const whole = { method: 'eth_getBlockByNumber', params: [headerCall(number).params[0], true] };
  const block = await rpc.call(whole, answers.fullBlock);
  if (!block) return undefined;
  if (block.number !== number || number === 0) throw new Unsettled();
  const [before = 0n] = (await readBalances(rpc, [address], null, number - 1)) ?? [];
  const [after = 0n] = (await readBalances(rpc, [address], null, number)) ?? [];
  const sent = block.transactions.filter(({ from, to }) => from === own || to === own);
  const receipts = await receiptsOf(
    rpc,
    sent.map(({ hash }) => hash),
  );
  const shown = sent.reduce((sum, each) => sum + shownBy(each, receipts.get(each.hash) as Receipt, own), 0n);
  const still = await rpc.call(headerCall(number), answers.header);
  const isOne = [...receipts.values()].every(({ blockHash }) => blockHash === block.hash);
  if (!isOne || still?.hash !== block.hash) throw new Unsettled();
  return { blockHash: block.hash, units: after - before - shown };
}

/** What a transaction added to the balance of its sender or recipient. */
function shownBy({ from, to, value }: Sent, receipt: Receipt, own: string): bigint {
  const fee = receipt.gasUsed * receipt.effectiveGasPrice + (receipt.l1Fee ?? 0n);
  const moved = receipt.status === 1 ? value : 0n;
  return (to === own ? moved : 0n) - (from === own ? moved + fee : 0n);
}
