import type {
  AgreedBlock,
  ChainNode,
  ChainParty,
  ChainTransaction,
  ChainTransfer,
} from '../../../../../../src/parties/chain/port';
import type { ChainDepositWord } from '../../../../../../src/transfers/chain-deposits/record';
import { unreachableNode } from '../../../../../support/outside/unreachable-node';
import type { WordDouble } from '../../word-double';
import { HEIGHTS_OF_ONE } from './proof';

/** The fields of a chain transfer that no reorganisation changes. */
export type Paid = Pick<ChainTransfer, 'txHash' | 'ordinal' | 'token' | 'from' | 'to'> & { at: Date };

/** Confirmations of the test's network. */
export const CONFIRMATIONS = 3;

const ELSEWHERE = `0x${'ee'.repeat(20)}`;

/** Whether the transfer is in a block of the chain. */
export const isThere = ({ state }: ChainDepositWord): boolean => state === 'seen' || state === 'final';

/** Whether the nodes differ about the block, which is deep enough. Otherwise a seen block is not deep enough yet. */
const isDisputed = ({ state, logIndex }: ChainDepositWord): boolean => state === 'seen' && logIndex !== 0;

/** The transfer as its block has it. */
export const transferOf = (
  { at, ...paid }: Paid,
  { blockNumber: number, blockHash, logIndex, units }: ChainDepositWord,
): ChainTransfer => ({
  ...paid,
  logIndex,
  units: BigInt(units),
  block: { number, hash: blockHash ?? '', parentHash: `0x${number - 1}`, at },
});

/** Nodes with the transactions and blocks of the double's words. A reader of the nodes arrives at these words. */
export interface NodeDouble {
  /** Adds a transfer to the nodes. @param ref its name @returns its number, which determines its heights */
  pay(ref: string, paid: Paid): number;
  paid(ref: string): Paid;
  /** The names of the newest transfers. */
  newest(count: number): string[];
  port: ChainParty;
}

/**
 * Nodes of a chain that follow the double's words. Until the double is settled, the nodes sometimes differ, or one does
 * not answer. A transaction's answer may be outdated when its block is read.
 */
export function createNodeDouble(double: WordDouble<ChainDepositWord>): NodeDouble {
  const all = new Map<string, Paid>();
  const [byHash, byHeight] = [new Map<string, string>(), new Map<number, string>()];

  function transaction(hash: string): ChainTransaction {
    const ref = byHash.get(hash) ?? '';
    const [paid, word] = [all.get(ref), double.ask(ref)];
    return paid && word !== 'unknown_to_party' ? transactionOf(paid, word) : { status: 'unknown' };
  }

  const node = (chain: string): ChainNode => ({
    ...unreachableNode(chain),
    // The head is below every deposit, so that an absence counts from the deposit's block.
    head: async () => ({ number: 0, hash: '0x0', parentHash: '0x', at: new Date(0) }),
    transaction: async (hash) => transaction(hash),
    async transactionOfEach(hash) {
      const own = transaction(hash);
      if (!double.wavers()) return { said: [own], of: 1 };
      return double.wavers() ? { said: [own], of: 2 } : { said: [own, { status: 'unknown' }], of: 2 };
    },
    async agreedBlock(number) {
      const word = double.now(byHeight.get(Math.floor(number / HEIGHTS_OF_ONE)) ?? '');
      return {
        said: 1,
        of: double.wavers() ? 2 : 1,
        ...(word ? blockOf(word, number) : split(false)),
      };
    },
  });

  return {
    pay(ref, paid) {
      all.set(ref, paid);
      byHash.set(paid.txHash, ref);
      byHeight.set(all.size, ref);
      return all.size;
    },
    newest: (count) => [...all.keys()].slice(-count),
    paid: (ref) => all.get(ref) ?? none(ref),
    port: { of: ({ chain }) => node(chain) },
  };
}

const none = (ref: string): never => {
  throw new Error(`there is no transfer ${ref}`);
};

/** The transaction of a word. An absent transfer is unknown, reverted, or pays another address. */
function transactionOf(paid: Paid, word: ChainDepositWord): ChainTransaction {
  const transfer = transferOf(paid, word);
  const { block, from } = transfer;
  const mined = { block, from, to: paid.token, nonce: 0, fee: 1n, gasUsed: 1n };
  if (isThere(word)) return { status: 'succeeded', ...mined, transfers: [transfer] };
  if (word.logIndex === 0) return { status: 'unknown' };
  if (block.number % 2 === 0) return { status: 'reverted', ...mined, transfers: [] };
  return { status: 'succeeded', ...mined, transfers: [{ ...transfer, to: ELSEWHERE }] };
}

const split = (isSplit: boolean): Pick<AgreedBlock, 'hash' | 'isSplit'> => ({ hash: null, isSplit });

/** The block at a height of the word's chain. */
function blockOf(word: ChainDepositWord, height: number): Pick<AgreedBlock, 'hash' | 'isSplit'> {
  const { state, blockNumber, blockHash } = word;
  if (isThere(word) && height === blockNumber)
    return isDisputed(word) ? split(true) : { hash: blockHash, isSplit: false };
  return height <= topOf(word) ? { hash: `0x${state}${height}`, isSplit: false } : split(false);
}

/** The height of the newest block. */
function topOf(word: ChainDepositWord): number {
  const { state, blockNumber } = word;
  if (state === 'gone') return blockNumber + HEIGHTS_OF_ONE / 2; // replaced long ago
  const isDeep = state === 'final' || isDisputed(word);
  return blockNumber + CONFIRMATIONS - (isDeep ? 1 : 2);
}
