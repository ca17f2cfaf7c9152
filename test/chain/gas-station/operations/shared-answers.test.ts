import { sharingSince } from '../../../../src/chain/gas-station/operations/steps/shared-answers';
import type { AgreedBlock, ChainNode, ChainTransaction } from '../../../../src/parties/chain/port';

const block = { number: 7, hash: '0xb7', parentHash: '0xb6', at: new Date(0) };
const sent = { from: '0xA', to: '0xB', nonce: 1, fee: 1n, gasUsed: 1n, transfers: [] };
const mined: ChainTransaction = { status: 'succeeded', block, ...sent };
const pending: ChainTransaction = { status: 'pending' };
const agreed: AgreedBlock = { hash: '0xb7', said: 3, of: 3, isSplit: false };

/** A node whose answers a test sets, and what it was asked. */
function nodeWith() {
  const asked: (string | number)[] = [];
  const answers = { said: [mined, mined, mined], block: agreed };
  const node = {
    async transactionOfEach(hash: string) {
      asked.push(hash);
      return { said: answers.said, of: 3 };
    },
    async agreedBlock(number: number) {
      asked.push(number);
      return answers.block;
    },
    async nonce(address: string) {
      asked.push(address);
      return 4;
    },
    async taggedHeight(tag: string) {
      asked.push(tag);
      return 6;
    },
  } as unknown as ChainNode;
  return { node, asked, answers };
}

const [head, later] = [{ hash: '0x01' }, { hash: '0x02' }];

it('asks once for what is settled, until a newer block is seen', async () => {
  const { node, asked } = nodeWith();
  for (let member = 0; member < 3; member += 1) {
    const shared = sharingSince(node, head);
    expect(await shared.transactionOfEach('0xt')).toEqual({ said: [mined, mined, mined], of: 3 });
    expect(await shared.agreedBlock(7)).toEqual(agreed);
    expect(await shared.nonce('0xA')).toBe(4);
    expect(await shared.taggedHeight('safe')).toBe(6);
  }
  expect(asked.splice(0)).toEqual(['0xt', 7, '0xA', 'safe']);
  await sharingSince(node, later).transactionOfEach('0xt');
  await sharingSince(node, later).taggedHeight('safe');
  expect(asked).toEqual(['0xt', 'safe']);
});

it('asks once for a transaction that all nodes have in no block yet', async () => {
  const { node, asked, answers } = nodeWith();
  answers.said = [pending, pending, pending];
  for (let member = 0; member < 2; member += 1) await sharingSince(node, head).transactionOfEach('0xt');
  expect(asked).toEqual(['0xt']);
});

it.each([
  ['a node has it in no block', [mined, mined, pending]],
  ['nodes do not know it', [{ status: 'unknown' } as const, pending, pending]],
  ['too few nodes answer', [mined]],
])('asks again for a transaction while %s', async (_, said) => {
  const { node, asked, answers } = nodeWith();
  answers.said = said;
  for (let member = 0; member < 2; member += 1) await sharingSince(node, head).transactionOfEach('0xt');
  expect(asked).toEqual(['0xt', '0xt']);
});

it.each([
  ['whose hashes differ', { ...agreed, hash: null, isSplit: true }],
  ['that too few nodes tell', { ...agreed, said: 1 }],
])('asks again for a block %s', async (_, answer) => {
  const { node, asked, answers } = nodeWith();
  answers.block = answer;
  for (let member = 0; member < 2; member += 1) await sharingSince(node, head).agreedBlock(8);
  expect(asked).toEqual([8, 8]);
});

it('shares a call that is under way, and no failure', async () => {
  const { node } = nodeWith();
  let calls = 0;
  const failing = {
    ...node,
    transactionOfEach: () => {
      calls += 1;
      return Promise.reject(new Error('away'));
    },
  } as ChainNode;
  const ask = () => sharingSince(failing, head).transactionOfEach('0xt');
  const both = await Promise.allSettled([ask(), ask()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toBe(1);
  await expect(ask()).rejects.toThrow('away');
  expect(calls).toBe(2);
});
