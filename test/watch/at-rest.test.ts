import type { Database } from '../../src/kernel/db/database';
import { createReading } from '../../src/watch/watch';
import { type TestApi, testApi } from '../support/api';

/** A list that does not change costs calls of its party, and nothing in Postgres but a look of the whole process. */

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

test('readings at the end of a list send no statement of their own', async () => {
  const sent: string[] = [];
  const own = api.services.database;
  const database: Database = {
    ...own,
    query: (text, values) => {
      sent.push(text);
      return own.query(text, values);
    },
    run: (query) => {
      sent.push(query.toSQL().sql);
      return own.run(query);
    },
    transaction: (work, options) => {
      sent.push('begin');
      return own.transaction(work, options);
    },
  };
  let asked = 0;
  const changes = async (after: string | null) => {
    asked += 1;
    return { changes: [], unreadable: [], next: after, more: false };
  };
  const cardProcessor = { ...api.services.parties.cardProcessor, changes };
  const services = { ...api.services, database, parties: { ...api.services.parties, cardProcessor } };
  const reading = createReading(services, 'cardProcessor');
  for (let turn = 0; turn < 3; turn += 1) await reading.read();
  sent.splice(0);
  for (let turn = 0; turn < 20; turn += 1) await reading.read();
  expect(asked).toBeGreaterThanOrEqual(23);
  // The looks of the process: one in two seconds, here by the readings themselves.
  expect(sent.filter((text) => !/max\(number\) from lost_commits/.test(text))).toEqual([]);
});
