import { getAddress, numberToHex } from 'viem';
import { asHex } from '../addresses';
import {
  type Addresses,
  type AddressSet,
  type Block,
  type ChainTransfer,
  type FoundTransfers,
  NATIVE,
} from '../port';
import { answers, blockOf, type Header, type Receipt, type Sent } from './answers';
import { headerCall } from './calls';
import { NodeRefused, Unsettled } from './faults';
import { type BlockRange, movedBy, transferLogs } from './logs';
import type { Rpc } from './rpc';

/** Full blocks requested at the same time. */
const BLOCKS = 4;

/** The token transfers of a transaction, to any address, ordered by their place in the receipt. */
export function tokenTransfers(receipt: Receipt, block: Block): ChainTransfer[] {
  if (receipt.status !== 1) return [];
  const logs = receipt.logs.toSorted((one, other) => one.logIndex - other.logIndex);
  return logs.flatMap((log, ordinal) => {
    const moved = movedBy(log);
    if (!moved) return [];
    const { transactionHash: txHash } = receipt;
    return [
      { txHash, ordinal, logIndex: log.logIndex, token: getAddress(asHex(log.address)), ...moved, block },
    ];
  });
}

/** The native coin that the transaction itself moves. Coin that a contract passes on leaves no trace in a block. */
export function nativeTransfer(sent: Sent, receipt: Receipt, block: Block): ChainTransfer[] {
  if (receipt.status !== 1 || !sent.to || sent.to === sent.from || sent.value === 0n) return [];
  const [from, to] = [getAddress(asHex(sent.from)), getAddress(asHex(sent.to))];
  return [
    { txHash: sent.hash, ordinal: NATIVE, logIndex: null, token: null, from, to, units: sent.value, block },
  ];
}

/**
 * The transfers to the addresses in a range of blocks, read from one node. {@link transferLogs} tells of which contracts.
 * @throws Unsettled the chain was reorganised meanwhile
 */
export async function readTransfers(
  rpc: Rpc,
  range: BlockRange,
  addresses: Addresses,
  { native, listed = [] }: { native: boolean; listed?: readonly string[] | undefined },
): Promise<FoundTransfers> {
  const last = await requireHeader(rpc, range.to);
  const { parentHash } = range.from === range.to ? last : await requireHeader(rpc, range.from);
  const ours = inLowerCase(addresses);
  const { logs, inPart } = await transferLogs(rpc, range, ours, listed);
  const blocks = native && ours.size > 0 ? await fullBlocks(rpc, range, last) : [];
  const sent = blocks.flatMap(({ transactions }) =>
    transactions.filter(({ to, value }) => value > 0n && to && ours.has(to)),
  );
  const values = new Map(sent.map((transaction) => [transaction.hash, transaction]));
  const hashes = new Set([...logs.map((log) => log.transactionHash), ...values.keys()]);
  const receipts = await receiptsOf(rpc, [...hashes]);
  const found = await headersOf(rpc, [...receipts.values()], [last, ...blocks]);
  if ([...receipts.values()].some((receipt) => !isWithin(range, found.get(receipt.blockHash))))
    throw new Unsettled();
  const transfers = [...receipts.values()].flatMap((receipt) => {
    const block = found.get(receipt.blockHash) as Block;
    const value = values.get(receipt.transactionHash);
    return [...(value ? nativeTransfer(value, receipt, block) : []), ...tokenTransfers(receipt, block)];
  });
  if ((await requireHeader(rpc, range.to)).hash !== last.hash) throw new Unsettled();
  return {
    parentHash,
    toBlockHash: last.hash,
    inPart,
    transfers: transfers.filter(({ to }) => ours.has(to.toLowerCase())).sort(inOrder),
  };
}

const inLowerCase = (addresses: Addresses): AddressSet =>
  'has' in addresses ? addresses : new Set(addresses.map((address) => address.toLowerCase()));

/** A receipt may have moved to a later block meanwhile, and a node may return more than the filter asks for. */
const isWithin = ({ from, to }: BlockRange, block: Block | undefined) =>
  block !== undefined && block.number >= from && block.number <= to;

const inOrder = (one: ChainTransfer, other: ChainTransfer) =>
  one.block.number - other.block.number || (one.logIndex ?? NATIVE) - (other.logIndex ?? NATIVE);

/** A missing block proves nothing about the chain, because another node may have it. */
async function requireHeader(rpc: Rpc, number: number): Promise<Header> {
  const header = await rpc.call(headerCall(number), answers.header);
  if (header?.number !== number) throw new NodeRefused('refused');
  return header;
}

/** @throws Unsettled the blocks do not form one chain that ends with `last` */
async function fullBlocks(rpc: Rpc, { from, to }: BlockRange, last: Header) {
  const blocks: (Header & { transactions: Sent[] })[] = [];
  for (let at = from; at <= to; at += BLOCKS) {
    const numbers = Array.from({ length: Math.min(BLOCKS, to - at + 1) }, (_, place) => at + place);
    blocks.push(...(await Promise.all(numbers.map((number) => fullBlock(rpc, number)))));
  }
  const isOneChain = blocks.every(({ hash }, place) => hash === (blocks[place + 1]?.parentHash ?? last.hash));
  if (!isOneChain) throw new Unsettled();
  return blocks;
}

async function fullBlock(rpc: Rpc, number: number) {
  const call = { method: 'eth_getBlockByNumber', params: [numberToHex(number), true] };
  const block = await rpc.alone(call, answers.fullBlock);
  if (block?.number !== number) throw new Unsettled();
  return block;
}

/** @throws Unsettled a transaction is no longer in a block */
export async function receiptsOf(rpc: Rpc, hashes: readonly string[]): Promise<Map<string, Receipt>> {
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
  const receipts = await rpc.all(calls, answers.receipt);
  return new Map(
    hashes.map((hash, place) => {
      const receipt = receipts[place];
      if (receipt?.transactionHash !== hash) throw new Unsettled();
      return [hash, receipt];
    }),
  );
}

/** The blocks of the receipts, by hash. Known blocks are not requested again. */
async function headersOf(rpc: Rpc, receipts: readonly Receipt[], known: readonly Header[]) {
  const headers = new Map(known.map((header) => [header.hash, blockOf(header)]));
  const missing = [...new Set(receipts.map(({ blockHash }) => blockHash))].filter(
    (hash) => !headers.has(hash),
  );
  const calls = missing.map((hash) => ({ method: 'eth_getBlockByHash', params: [hash, false] }));
  for (const header of await rpc.all(calls, answers.header))
    if (header) headers.set(header.hash, blockOf(header));
  if (missing.some((hash) => !headers.has(hash))) throw new Unsettled();
  return headers;
}
