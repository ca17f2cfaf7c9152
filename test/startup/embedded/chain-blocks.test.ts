import { createMiner, RESTS_AFTER } from '../../../src/startup/embedded/chain/blocks';
import { startTestChain, type TestChain } from '../../support/chain';

const SOMEBODY = '0x000000000000000000000000000000000000dEaD';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const height = async () => Number(await chain.client.getBlockNumber());

test('adds a block each turn after a transaction, and then stops', async () => {
  const mine = createMiner(() => chain.url);
  await mine();
  expect(await height()).toBe(0);
  await chain.pay(null, SOMEBODY, 1n);
  for (let turn = 0; turn < 3; turn += 1) await mine();
  expect(await height()).toBe(4);
  await chain.pay(null, SOMEBODY, 1n);
  // Another process that reads the chain later knows the same.
  const another = createMiner(() => chain.url);
  for (let turn = 0; turn < RESTS_AFTER + 5; turn += 1) await another();
  expect(await height()).toBe(5 + RESTS_AFTER);
  await mine();
  expect(await height()).toBe(5 + RESTS_AFTER);
});

test('reads a chain again that has become shorter', async () => {
  const mine = createMiner(() => chain.url);
  await chain.pay(null, SOMEBODY, 1n);
  await mine();
  await chain.client.request({ method: 'anvil_reset', params: [] } as never);
  await chain.pay(null, SOMEBODY, 1n);
  await mine();
  expect(await height()).toBe(2);
});
