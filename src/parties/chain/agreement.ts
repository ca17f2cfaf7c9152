import type { AgreedBlock, Block, ChainNode, ChainTransaction, ChainTransfer } from './port';

/** Whether so many of all nodes are enough to believe: of one node it is that one, of two both. */
export const areMost = ({ said, of }: { said: number; of: number }): boolean => 2 * said > of;

/**
 * Of numbers that nodes tell the highest that most of all say at least: what one of several alone tells counts for nothing.
 * @param told by most of them ({@link areMost})
 */
export const ofMost = (told: readonly number[], of: number): number =>
  told.toSorted((one, other) => other - one)[Math.floor(of / 2)] as number;

/** All who answer say the same, and they are more than half. */
export const isSettled = (agreed: AgreedBlock): boolean => !agreed.isSplit && areMost(agreed);

type Spot = Pick<Block, 'number' | 'hash'>;

/** Whether most nodes, and all that answer, have that block. @throws ChainAway */
export async function isAgreed(
  node: Pick<ChainNode, 'agreedBlock'>,
  { number, hash }: Spot,
): Promise<boolean> {
  const own = await node.agreedBlock(number);
  return isSettled(own) && own.hash === hash;
}

/** Of a block: for good; under too few others, as all say who answer; or not yet the same to most nodes. */
export type Depth = 'final' | 'shallow' | 'disputed';

/**
 * Whether so many blocks stand on one, its own among them, and most nodes, and all that answer, name the same ones. No node is believed
 * its newest block by itself.
 * @throws ChainAway
 */
export async function depthOf(
  node: Pick<ChainNode, 'agreedBlock'>,
  block: Spot,
  confirmations: number,
): Promise<Depth> {
  const top = await node.agreedBlock(block.number + confirmations - 1);
  if (!isSettled(top)) return 'disputed';
  if (top.hash === null) return 'shallow';
  return (await isAgreed(node, block)) ? 'final' : 'disputed';
}

/** What nodes tell of a transaction. */
export interface Told {
  /**
   * What most of all nodes tell alike; where they do not, the furthest that any of them tells. It is in no block where most say so:
   * `pending` as soon as anybody knows it.
   */
  word: ChainTransaction;
  /** Most do: money is moved by such a word alone. */
  isAgreed: boolean;
}

/** @throws ChainAway */
export async function toldOf(node: Pick<ChainNode, 'transactionOfEach'>, hash: string): Promise<Told> {
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

/** A transaction that is in a block, as a node tells it. */
export type Mined = Extract<ChainTransaction, { status: 'succeeded' | 'reverted' }>;

export const isMined = (word: ChainTransaction): word is Mined => 'block' in word;

/** The word that most of all nodes tell alike, in all that is booked of it, and that decides whose it is. */
function agreedOf(mined: readonly Mined[], of: number): Mined | undefined {
  const alike = mostAlike(mined, contentOf, of);
  if (!alike) return undefined;
  const [most] = mostAlike(alike, ({ feeBelow }) => String(feeBelow), of) ?? [];
  return most ?? onlyTelling(alike);
}

/** Some nodes tell nothing of the chain below: where most of all are no help, those are believed who do, and tell the same. */
function onlyTelling(alike: readonly Mined[]): Mined | undefined {
  const telling = alike.filter(({ feeBelow }) => feeBelow !== undefined);
  return new Set(telling.map(({ feeBelow }) => feeBelow)).size === 1 ? telling[0] : undefined;
}

/** Those that are the same by that, where they are most of all. */
const mostAlike = (words: readonly Mined[], by: (word: Mined) => string, of: number): Mined[] | undefined =>
  words
    .map((word) => words.filter((other) => by(other) === by(word)))
    .find((same) => areMost({ said: same.length, of }));

const contentOf = ({ status, block, from, to, nonce, fee, feeBelow, gasUsed, transfers }: Mined): string =>
  [status, block.hash, from, to, nonce, fee - (feeBelow ?? 0n), gasUsed, ...transfers.map(movementOf)].join();

const movementOf = ({ ordinal, token, from, to, units }: ChainTransfer): string =>
  [ordinal, token, from, to, units].join();
