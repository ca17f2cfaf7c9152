import fc from 'fast-check';
import { shortText, wholeText } from '../../../src/kernel/db/short-text';
import { compositeArray } from '../../../src/kernel/db/writes';
import { type TestDatabase, testDatabase } from '../../support/database';

/** Texts of transactions are stored short. Each text comes back byte by byte, in the product and in SQL. */

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.drop());

/** Sends a short text through Postgres. Returns the stored text, and the text that SQL restores from it. */
async function throughPostgres(text: string): Promise<{ stored: string; whole: string }> {
  const [row] = await test.database.query<{ stored: string; whole: string }>(
    `select body as stored, whole_text(body) as whole from unnest($1::new_answer[])`,
    [compositeArray([['0'.repeat(32), '', 201, shortText(text), false]])],
  );
  return row as { stored: string; whole: string };
}

const CARD = {
  id: 'ctx_01h455vb4pex5vsknk084sn02q',
  cardId: 'card_01h455vb4pex5vsknk084sn02q',
  transactionAmount: '1.00',
  transactionCurrency: 'USD',
  billingAmount: '1.00',
  billingCurrency: 'USD',
  type: 'authorization',
  referenceId: 'ref_01h455vb4pex5vsknk084sn02q',
  linkedId: 'ctx_01h455vb4pex5vsknk084sn02q',
  merchant: { name: 'Cafe "Ada"', mcc: '5812', city: 'Kyiv', country: 'UA' },
  timestamp: '2026-11-26T16:19:17.123Z',
  fee: '0.10',
  effect: { available: '-1.00', pending: '1.00', spent: '0.00' },
  balanceAfter: { available: '99.00', pending: '1.00', spent: '0.00' },
  createdAt: '2026-11-26T16:19:17.123Z',
  updatedAt: '2026-11-26T16:19:17.123Z',
};
const ACCOUNT = {
  id: 'atx_01h455vb4pex5vsknk084sn02q',
  accountId: 'acc_01h455vb4pex5vsknk084sn02q',
  type: 'fee',
  subtype: 'settle_fee',
  amount: '0.10',
  currency: 'USD',
  referenceId: 'ref_01h455vb4pex5vsknk084sn02q',
  timestamp: '2026-11-26T16:19:17.123Z',
  effect: { available: '0.00', pending: '-0.10', spent: '0.00' },
  balanceAfter: '9.90',
};

it.each([
  ['a card transaction', CARD],
  ['an account transaction', ACCOUNT],
])('stores %s in less than three fifths of its length', async (_name, data) => {
  const text = JSON.stringify(data);
  expect(shortText(text).length).toBeLessThan(text.length * 0.6);
  expect(wholeText(shortText(text))).toBe(text);
  expect(await throughPostgres(text)).toEqual({ stored: shortText(text), whole: text });
});

it.each(['', '{}', '[]', '{"id":"evt_01"}', '{"id":"ctx_', 'id,amount\n1,2'])('restores %j', async (text) => {
  expect(wholeText(shortText(text))).toBe(text);
  expect((await throughPostgres(text)).whole).toBe(text);
});

it('restores a transaction with any content', async () => {
  const words = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('\u0001', '\u001f', '","', '"},', '{"', 'timestamp', '\\', 'é') }),
  );
  const data = fc.record({ name: words, mcc: words, city: words, more: fc.jsonValue() });
  await fc.assert(
    fc.asyncProperty(data, async (merchant) => {
      const text = JSON.stringify({ ...CARD, merchant });
      expect(wholeText(shortText(text))).toBe(text);
      expect((await throughPostgres(text)).whole).toBe(text);
    }),
    { numRuns: 200 },
  );
});
