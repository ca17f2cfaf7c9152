import type { AgreedBlock, Block, ChainNode, ChainTransaction, ChainTransfer, Finality } from './port';

/** Whether the nodes that answered are a majority of all nodes: the node itself of one, both of two. */
export const areMost = ({ said, of }: { said: number; of: number }): boolean => 2 * said > of;

/**
 * The highest number that a majority of all nodes reports or exceeds. A single node of several cannot raise it.
 * @param reported answers of a majority of the nodes ({@link areMost})
 */
export const ofMost = (reported: readonly number[], of: number): number =>
  reported.toSorted((one, other) => other - one)[Math.floor(of / 2)] as number;

/** Whether a majority of the nodes answered and all of those agree. */
export const isSettled = (agreed: AgreedBlock): boolean => !agreed.isSplit && areMost(agreed);

type Spot = Pick<Block, 'number' | 'hash'>;

/** Whether a majority of the nodes, and every node that answers, has that block. @throws ChainAway */
export async function isAgreed(
  node: Pick<ChainNode, 'agreedBlock'>,
  { number, hash }: Spot,
): Promise<boolean> {
  const own = await node.agreedBlock(number);
  return isSettled(own) && own.hash === hash;
}

/** How deep a block is: `final` for good; `shallow` under too few blocks; `disputed` while nodes disagree. */
export type Depth = 'final' | 'shallow' | 'disputed';

/** The rule by which a block becomes final. */
export interface FinalBy {
  /** Blocks, its own included. With a tag, only the time until it is asked for. */
  confirmations: number;
  finality: Finality;
}

/**
 * Whether a block has its confirmations, its own block included, or stands at or below the tagged block. A majority of the
 * nodes, and every node that answers, must name the same blocks, because a single node could invent a newer one.
 * @throws ChainAway
 */
export async function depthOf(
  node: Pick<ChainNode, 'agreedBlock' | 'taggedHeight'>,
  block: Spot,
  { confirmations, finality }: FinalBy,
): Promise<Depth> {
  if (finality !== 'confirmations') {
    if (block.number > (await node.taggedHeight(finality))) return 'shallow';
    return (await isAgreed(node, block)) ? 'final' : 'disputed';
  }
  const top = await node.agreedBlock(block.number + confirmations - 1);
  if (!isSettled(top)) return 'disputed';
  if (top.hash === null) return 'shallow';
  return (await isAgreed(node, block)) ? 'final' : 'disputed';
}

/** What the nodes report about a transaction. */
export interface ReportedTransaction {
  /**
   * The state that a majority of all nodes reports, else the most advanced state that any node reports. Where a
   * majority says that no block has it, `pending` wins as soon as one node knows it.
   */
  word: ChainTransaction;
  /** Whether a majority reports this state. Money moves only by such a state. */
  isAgreed: boolean;
}

/** Compares what the nodes report about a transaction. @throws ChainAway */
export async function reportedTransaction(
  node: Pick<ChainNode, 'transactionOfEach'>,
  hash: string,
): Promise<ReportedTransaction> {
  const { said, of } = await node.transactionOfEach(hash);
  const mined = said.filter(isMined);
  const agreed = agreedOf(mined, of);
  if (agreed) return { word: agreed, isAgreed: true };
  const inNoBlock = areMost({ said: said.length - mined.length, of });
  const [first] = mined;
  if (first && !inNoBlock) return { word: first, isAgreed: false };
  const pending = said.find(({ status }) => status === 'pending') ?? (first && { status: 'pending' });
  return { word: pending ?? { status: 'unknown' }, isAgreed: inNoBlock };
}

/**
 * A reported transaction as it is booked: most nodes report it, and its block is final.
 * @returns undefined otherwise
 * @throws ChainAway
 */
export async function finalOf(
  node: Pick<ChainNode, 'agreedBlock' | 'taggedHeight'>,
  { word, isAgreed }: ReportedTransaction,
  by: FinalBy,
): Promise<Mined | undefined> {
  if (!isAgreed || !isMined(word)) return undefined;
  return (await depthOf(node, word.block, by)) === 'final' ? word : undefined;
}

/** {@link finalOf} what the nodes report about a transaction. @throws ChainAway */
export const finalTransaction = async (
  node: Pick<ChainNode, 'transactionOfEach' | 'agreedBlock' | 'taggedHeight'>,
  hash: string,
  by: FinalBy,
): Promise<Mined | undefined> => finalOf(node, await reportedTransaction(node, hash), by);

/** A transaction in a block, as one node reports it. */
export type Mined = Extract<ChainTransaction, { status: 'succeeded' | 'reverted' }>;

export const isMined = (word: ChainTransaction): word is Mined => 'block' in word;

/** The state that a majority of all nodes reports alike, in every field that is booked or that identifies the owner. */
function agreedOf(mined: readonly Mined[], of: number): Mined | undefined {
  const alike = mostAlike(mined, contentOf, of);
  if (!alike) return undefined;
  const [most] = mostAlike(alike, ({ feeBelow }) => String(feeBelow), of) ?? [];
  return most ?? onlyTelling(alike);
}

/** Some nodes do not report the fee of the chain below. Without a majority, the nodes that report it must agree. */
function onlyTelling(alike: readonly Mined[]): Mined | undefined {
  const telling = alike.filter(({ feeBelow }) => feeBelow !== undefined);
  return new Set(telling.map(({ feeBelow }) => feeBelow)).size === 1 ? telling[0] : undefined;
}

/** The states that share a key, where they are a majority of all nodes. */
const mostAlike = (words: readonly Mined[], by: (word: Mined) => string, of: number): Mined[] | undefined =>
  words
    .map((word) => words.filter((other) => by(other) === by(word)))
    .find((same) => areMost({ said: same.length, of }));

const contentOf = ({ status, block, from, to, nonce, fee, feeBelow, gasUsed, transfers }: Mined): string =>
  [status, block.hash, from, to, nonce, fee - (feeBelow ?? 0n), gasUsed, ...transfers.map(movementOf)].join();

const movementOf = ({ ordinal, token, from, to, units }: ChainTransfer): string =>
  [ordinal, token, from, to, units].join();
