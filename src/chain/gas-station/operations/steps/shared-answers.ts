import { areMost, isMined, isSettled } from '../../../../parties/chain/agreement';
import type { AgreedBlock, Block, ChainNode, FinalTag } from '../../../../parties/chain/port';

/**
 * Operations of a batch have one transaction, and each follows it by itself. They share what the nodes say of it, until a newer block
 * is seen. Only settled answers are shared: a transaction that all know, a block that all agree on, the height of a tag, and a sender's
 * number of mined transactions. No later answer can differ without a newer block, but for a node that is ahead of the others.
 */

type Told = Awaited<ReturnType<ChainNode['transactionOfEach']>>;

interface AtHead {
  /** Hash of the newest block. */
  head: string;
  transactions: Map<string, Promise<Told>>;
  blocks: Map<number, Promise<AgreedBlock>>;
  /** By address. */
  nonces: Map<string, Promise<number>>;
  tagged: Map<FinalTag, Promise<number>>;
}

/** The answers of each node since its newest block. */
const known = new WeakMap<ChainNode, AtHead>();

/**
 * Returns the node, which asks for each settled thing once as long as the newest block is the same.
 * @param newest as {@link ChainNode.look} has told it
 */
export function sharingSince(node: ChainNode, newest: Pick<Block, 'hash'>): ChainNode {
  const before = known.get(node);
  const at = before?.head === newest.hash ? before : nothingAt(newest.hash);
  known.set(node, at);
  return {
    ...node,
    transactionOfEach: (hash) => kept(at.transactions, hash, () => node.transactionOfEach(hash), isTold),
    agreedBlock: (number) => kept(at.blocks, number, () => node.agreedBlock(number), isSettled),
    nonce: (address) => kept(at.nonces, address, () => node.nonce(address), always),
    taggedHeight: (tag) => kept(at.tagged, tag, () => node.taggedHeight(tag), always),
  };
}

const nothingAt = (head: string): AtHead => ({
  head,
  transactions: new Map(),
  blocks: new Map(),
  nonces: new Map(),
  tagged: new Map(),
});

const always = (): boolean => true;

const isTold = ({ said, of }: Told): boolean =>
  areMost({ said: said.length, of }) &&
  (said.every(isMined) || said.every(({ status }) => status === 'pending'));

/** Operations that ask at the same time share the answer, whatever it is. */
function kept<Key, Answer>(
  answers: Map<Key, Promise<Answer>>,
  key: Key,
  ask: () => Promise<Answer>,
  isKept: (answer: Answer) => boolean,
): Promise<Answer> {
  const there = answers.get(key);
  if (there) return there;
  const asked = ask();
  answers.set(key, asked);
  const forget = () => void (answers.get(key) === asked && answers.delete(key));
  asked.then((answer) => {
    if (!isKept(answer)) forget();
  }, forget);
  return asked;
}
