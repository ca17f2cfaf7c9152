import { depthOf, ofMost, reportedTransaction } from '../../../src/parties/chain/agreement';
import type { AgreedBlock, ChainTransaction } from '../../../src/parties/chain/port';

const block = { number: 7, hash: '0x7', parentHash: '0x6', at: new Date(0) };
const UNKNOWN: ChainTransaction = { status: 'unknown' };
const PENDING: ChainTransaction = { status: 'pending' };
const mined = (change: object = {}): ChainTransaction => ({
  status: 'succeeded',
  block,
  from: '0xA',
  to: '0xB',
  nonce: 1,
  fee: 3n,
  gasUsed: 1n,
  transfers: [],
  ...change,
});
const transfer = { txHash: '0x', ordinal: -1, logIndex: null, token: null, from: '0xA', to: '0xB', block };

const CASES: [string, ChainTransaction[], number, ChainTransaction, boolean][] = [
  ['the only one', [mined()], 1, mined(), true],
  ['one of two, the other away', [mined()], 2, mined(), false],
  ['two of two', [mined(), mined()], 2, mined(), true],
  ['two that differ in the fee', [mined({ fee: 4n }), mined()], 2, mined({ fee: 4n }), false],
  ['two of three, after one that differs', [mined({ fee: 4n }), mined(), mined()], 3, mined(), true],
  [
    'two of three, the other of more money',
    [mined({ transfers: [{ ...transfer, units: 9n }] }), mined(), mined()],
    3,
    mined(),
    true,
  ],
  [
    'two, of whom one tells nothing of the chain below',
    [mined(), mined({ fee: 8n, feeBelow: 5n })],
    2,
    mined({ fee: 8n, feeBelow: 5n }),
    true,
  ],
  [
    'two of three, who tell nothing of a chain below',
    [mined({ fee: 8n, feeBelow: 5n }), mined(), mined()],
    3,
    mined(),
    true,
  ],
  [
    'two, who differ in what the chain below took',
    [mined({ fee: 8n, feeBelow: 5n }), mined({ fee: 9n, feeBelow: 6n })],
    2,
    mined({ fee: 8n, feeBelow: 5n }),
    false,
  ],
  ['one of two, the other behind', [UNKNOWN, mined()], 2, mined(), false],
  ['one of three, the others behind', [mined(), PENDING, UNKNOWN], 3, PENDING, true],
  ['nobody', [UNKNOWN, UNKNOWN], 2, UNKNOWN, true],
  ['nobody of most', [UNKNOWN], 2, UNKNOWN, false],
];

it.each(CASES)('compares the states of a transaction from nodes: %s', async (_, said, of, word, isAgreed) => {
  const node = { transactionOfEach: () => Promise.resolve({ said, of }) };
  expect(await reportedTransaction(node, '0x')).toEqual({ word, isAgreed });
});

it.each<[string, object]>([
  ['whether it was reverted', { status: 'reverted' }],
  ['its block', { block: { ...block, hash: '0x8' } }],
  ['its sender', { from: '0xC' }],
  ['its recipient', { to: '0xC' }],
  ['its nonce', { nonce: 2 }],
  ['its fee', { fee: 4n }],
  ['its gas', { gasUsed: 2n }],
  ['what it has moved', { transfers: [{ ...transfer, units: 9n }] }],
])('finds no agreement between two states that differ in %s', async (_, change) => {
  const node = { transactionOfEach: () => Promise.resolve({ said: [mined(), mined(change)], of: 2 }) };
  expect(await reportedTransaction(node, '0x')).toMatchObject({ isAgreed: false });
});

it.each<[string, Partial<AgreedBlock>, string]>([
  ['most name the one above it', { hash: '0x9', said: 2 }, 'final'],
  ['all answer and have none there', { hash: null, said: 3 }, 'shallow'],
  ['one of three has one there', { hash: '0x9', said: 3, isSplit: true }, 'disputed'],
  ['one of three answers', { hash: '0x9', said: 1 }, 'disputed'],
])('judges the depth of a block when %s', async (_, top, depth) => {
  const said = { hash: '0x7', said: 3, of: 3, isSplit: false };
  const node = {
    agreedBlock: (number: number) => Promise.resolve(number === 9 ? { ...said, ...top } : said),
    taggedHeight: () => Promise.reject(new Error('no tag decides')),
  };
  expect(await depthOf(node, block, { confirmations: 3, finality: 'confirmations' })).toBe(depth);
});

it.each([
  [6, {}, 'shallow'],
  [7, {}, 'final'],
  [7, { hash: '0x8' }, 'disputed'],
  [7, { said: 1 }, 'disputed'],
] as const)('judges the depth by a tag at height %d, with %j', async (height, own, depth) => {
  const node = {
    agreedBlock: () => Promise.resolve({ hash: '0x7', said: 3, of: 3, isSplit: false, ...own }),
    taggedHeight: () => Promise.resolve(height),
  };
  expect(await depthOf(node, block, { confirmations: 3, finality: 'safe' })).toBe(depth);
});

it.each([
  [[7], 1, 7],
  [[9, 7], 2, 7],
  [[7, 9, 7], 3, 7],
  [[9, 7], 3, 7],
  // Two of five nodes are no majority, though they are a majority of those that answer.
  [[9, 9, 7], 5, 7],
])('takes from the answers %p of %p nodes the majority value %p', (told, of, most) => {
  expect(ofMost(told, of)).toBe(most);
});
