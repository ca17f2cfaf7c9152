/** @long */
import type { ReviewWord } from '../../../src/parties/cardholder-review/word';
import {
  CARDHOLDER_STATUSES,
  CARDHOLDER_TRANSITIONS,
  type CardholderStatus,
} from '../../../src/people/cardholders/record';
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { decide, eventsOf, holderIn, read, steps } from './support';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi(DECIDED_AT_ONCE);
  client = await api.client();
});
afterAll(() => api.close());

const refused = (error: { code?: string }) => String(error.code);

const called = async (method: string, path: string, body?: unknown) => {
  const answer = await client.call(method, path, body);
  return answer.status === 200 ? 'done' : `${answer.status} ${answer.body.code}`;
};

/** Makes the reviewer answer with a decision. */
async function reported(id: string, outcome: ReviewWord): Promise<string> {
  const { cardholderReview } = api.services.parties;
  api.services.parties.cardholderReview = { ...cardholderReview, outcome: async () => outcome };
  try {
    await steps(api.services).submit(id);
    return 'done';
  } finally {
    api.services.parties.cardholderReview = cardholderReview;
  }
}

/** All actions on a cardholder, of any caller. */
const ACTIONS: Record<string, (id: string) => Promise<string>> = {
  patch: (id) => called('PATCH', `/v1/cardholders/${id}`, { annualSalary: '10-20k' }),
  retry: (id) => called('POST', `/v1/cardholders/${id}/retry`),
  submit: (id) => called('POST', `/v1/cardholders/${id}/submit`),
  approve: (id) => decide(api, id, 'approved').then(() => 'done', refused),
  reject: (id) => decide(api, id, 'rejected', 'No.').then(() => 'done', refused),
  'the party passes': (id) => reported(id, { status: 'passed' }),
  'the party rejects': (id) => reported(id, { status: 'rejected', reason: 'No.' }),
  'the party refuses': (id) => reported(id, { status: 'refused', reason: 'No.' }),
  'the attempts are used up': (id) =>
    steps(api.services)
      .giveUp(id)
      .then(() => 'done'),
};

/** The outcomes by `interface.md 3.1` and decisions part 4. A missing pair is refused or changes nothing. */
const LEADS: Record<string, Partial<Record<CardholderStatus, CardholderStatus>>> = {
  patch: {
    submission_failed: 'wait_audit',
    reject: 'reject',
    rejected_by_admin: 'rejected_by_admin',
    pending_review: 'pending_review',
  },
  retry: { submission_failed: 'wait_audit' },
  submit: { reject: 'wait_audit', rejected_by_admin: 'pending_review', pending_review: 'pending_review' },
  approve: { pending_review: 'wait_audit' },
  reject: { pending_review: 'rejected_by_admin' },
  'the party passes': { wait_audit: 'pass_audit' },
  'the party rejects': { wait_audit: 'reject' },
  'the party refuses': { wait_audit: 'submission_failed' },
  'the attempts are used up': { wait_audit: 'submission_failed' },
};

const REFUSALS: Record<string, string> = {
  patch: '409 status_not_editable',
  retry: '409 status_not_editable',
  submit: '409 status_not_editable',
  approve: 'invalid_transition',
  reject: 'invalid_transition',
};

const cases = CARDHOLDER_STATUSES.flatMap((from) =>
  Object.keys(ACTIONS).map((action) => [from, action] as const),
);

it.each(cases)('%s: %s', async (from, action) => {
  const { id } = await holderIn(api, client, from);
  const before = await read(client, id);
  const told = (await eventsOf(api, id)).length;
  const to = LEADS[action]?.[from];
  expect(await ACTIONS[action]?.(id)).toBe(to ? 'done' : (REFUSALS[action] ?? 'done'));
  const after = await read(client, id);
  if (!to) expect(after).toEqual(before);
  expect(after.status).toBe(to ?? from);
  const events = (await eventsOf(api, id)).slice(told);
  expect(events).toHaveLength(after.status === from ? 0 : 1);
  if (after.status !== from)
    expect(events[0]).toMatchObject({ status: to, previousStatus: from, timestamp: after.updatedAt });
  expect(events[0]?.description).toBe(events[0] && after.description);
  const submitted = to === 'wait_audit' ? 1 : 0;
  expect(after.submissions).toBe(before.submissions + submitted);
});

it('has one row of the table for each outcome, and no other', () => {
  const count = Object.values(LEADS).flatMap((lines) => Object.keys(lines)).length;
  // Refused data and used-up attempts share one row; creation has two.
  expect(CARDHOLDER_TRANSITIONS).toHaveLength(count - 1 + 2);
});
