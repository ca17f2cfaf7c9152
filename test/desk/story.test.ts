import { keepMessage } from '../../src/cards/processor/store';
import { processorMessageStory } from '../../src/cards/stories';
import { newId } from '../../src/kernel/ids';
import { type TestDatabase, testDatabase } from '../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

it('of a message that was answered beside its key exists', async () => {
  const id = newId('processorMessage');
  const tenantId = newId('tenant');
  const kept = {
    id,
    messageId: 'm-1',
    reason: 'unanswered',
    fingerprint: Buffer.from('f'),
    tenantId,
    settledAt: null,
    message: {
      messageId: 'm-1',
      networkReference: 'n-1',
      type: 'authorization',
      cardReference: 'prc-1',
      currency: 'USD',
      amount: '5.00',
      sentAt: new Date().toISOString(),
    },
    status: 200,
    body: '{}',
  };
  await keepMessage(test.database, kept as Parameters<typeof keepMessage>[1], performance.now());
  expect(
    await processorMessageStory({ database: test.database, now: () => new Date() }, id, 10),
  ).toMatchObject({
    id,
    what: 'processor message',
    tenantId,
    status: 'unanswered',
    workflowId: `unanswered-authorization-${id}`,
    record: { cardReference: 'prc-1', amount: '5.00' },
  });
});
