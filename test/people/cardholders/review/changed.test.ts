import { createStripeRegistry } from '../../../../src/parties/cardholder-review/stripe/registry';
import type { ReviewWord } from '../../../../src/parties/cardholder-review/word';
import { PartyAway, UnreadableAnswer } from '../../../../src/process/party-errors';
import { createReading } from '../../../../src/watch/watch';
import { type TestApi, testApi } from '../../../support/api';
import { cardholder } from '../../../support/cards';

/** The reviewer restricts cardholders that it has passed. */

let api: TestApi;
let word: ReviewWord | Error;
let asked: string[];
let listed: { id: string; ref: string }[];
beforeAll(async () => {
  api = await testApi();
  const { parties } = api.services;
  parties.cardholderReview = {
    ...parties.cardholderReview,
    restrictsLater: true,
    async outcome(key) {
      asked.push(key);
      if (word instanceof Error) throw word;
      return word;
    },
    changes: async (after) => ({
      changes: listed.filter(({ id }) => after === null || Number(id) > Number(after)),
      unreadable: [],
      next: listed.at(-1)?.id ?? after,
      more: false,
    }),
  };
  listed = [];
});
beforeEach(() => {
  asked = [];
  word = { status: 'passed' };
});
afterAll(() => api.close());

/** A cardholder that the reviewer has passed. */
async function passed() {
  const { cardholderId: id } = await cardholder(await api.client());
  await api.database.query('update cardholders set submissions = 1 where id = $1', [id]);
  return { id, key: `submission-${id}-1` };
}

/** The reviewer's list names the key again, and is read. A reading tells the page of the one before. */
async function tell(key: string, reading = createReading(api.services, 'cardholderReview')): Promise<void> {
  listed.push({ id: String(listed.length + 1), ref: key });
  for (let turn = 0; turn < 3; turn += 1) await reading.read();
}

const shown = async (id: string) =>
  (
    await api.database.query<{ line: string }>(
      `select kind || ' ' || detail as line from breaks where subject = $1 and resolved_at is null`,
      [id],
    )
  ).map(({ line }) => line);

it('shows a restriction until it ends, and leaves the cardholder as it is', async () => {
  const { id, key } = await passed();
  await tell(key);
  expect(await shown(id)).toEqual([]);
  word = { status: 'processing' };
  await tell(key);
  expect(await shown(id)).toEqual(['cardholder_review_changed processing']);
  word = { status: 'refused', reason: 'Missing: individual.verification.document.' };
  await tell(key);
  expect(await shown(id)).toEqual([
    'cardholder_review_changed refused: Missing: individual.verification.document.',
  ]);
  const [row] = await api.database.query('select status from cardholders where id = $1', [id]);
  expect(row).toEqual({ status: 'pass_audit' });
  word = { status: 'passed' };
  await tell(key);
  expect(await shown(id)).toEqual([]);
});

it('asks about no former submission, and about no cardholder that is not passed', async () => {
  const { id, key } = await passed();
  await api.database.query(`update cardholders set submissions = 2 where id = $1`, [id]);
  await tell(key);
  await api.database.query(`update cardholders set status = 'reject' where id = $1`, [id]);
  await tell(`submission-${id}-2`);
  expect(asked.filter((each) => each.includes(id))).toEqual([]);
});

it('passes an answer that cannot be read', async () => {
  const { id, key } = await passed();
  word = new UnreadableAnswer();
  await tell(key);
  expect(asked).toContain(key);
  word = { status: 'rejected' };
  await tell(key);
  expect(await shown(id)).toEqual(['cardholder_review_changed rejected']);
});

it('waits while the reviewer is away, though the list names the cardholder once', async () => {
  const { id, key } = await passed();
  const reading = createReading(api.services, 'cardholderReview');
  word = new PartyAway();
  // A reading that fails may throw, or try again with the next one.
  await tell(key, reading).catch(() => undefined);
  expect(asked).not.toEqual([]);
  expect(await shown(id)).toEqual([]);
  word = { status: 'rejected' };
  for (let turn = 0; turn < 2; turn += 1) await reading.read();
  expect(await shown(id)).toEqual(['cardholder_review_changed rejected']);
});

it('Stripe is such a reviewer', () => {
  const registry = createStripeRegistry({
    secretKey: 'sk_test_123',
    webhookSecrets: ['whsec_1'],
    database: api.services.database,
    cityName: () => undefined,
  });
  expect(registry.restrictsLater).toBe(true);
});
