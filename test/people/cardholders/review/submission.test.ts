/** @long */
import { createCardholderActivities } from '../../../../activities/cardholders';
import type { Application } from '../../../../src/parties/cardholder-review/port';
import { REVIEW_SCENARIOS } from '../../../../src/parties/cardholder-review/sandbox/scenarios';
import { DocumentsAway, DocumentUnreadable } from '../../../../src/parties/documents/port';
import { cardholderProcesses } from '../../../../src/people/cardholders/workflows';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../../../src/process/party-errors';
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../../support/api';
import { uploadDocument } from '../../../support/uploads';
import {
  decide,
  eventsOf,
  type Holder,
  ID_NUMBER,
  identified,
  pending,
  read,
  register,
  STREET,
  setReview,
  statusOf,
  steps,
} from '../support';

let api: TestApi;
let client: Client;
const clock = { at: new Date() };
let step: ReturnType<typeof steps>;
beforeAll(async () => {
  api = await testApi({ ...DECIDED_AT_ONCE, now: () => clock.at });
  client = await api.client();
  step = steps(api.services);
});
afterAll(() => api.close());

async function approved(meta: Record<string, unknown> = {}): Promise<Holder> {
  const holder = await pending(api, client, meta);
  await decide(api, holder.id, 'approved');
  return holder;
}

/** Collects the submissions from now on, by key. */
function submitted(): Application[] {
  const { cardholderReview } = api.services.parties;
  const seen: Application[] = [];
  api.services.parties.cardholderReview = {
    ...cardholderReview,
    submit(application) {
      seen.push(application);
      return cardholderReview.submit(application);
    },
  };
  return seen;
}

const later = (seconds: number) => {
  clock.at = new Date(clock.at.getTime() + seconds * 1_000);
};
const calls = async (id: string, submission = 1) =>
  (
    await api.database.query<{ calls: number }>('select calls from sandbox_orders where key = $1', [
      `submission-${id}-${submission}`,
    ])
  )[0]?.calls;

describe('a submission', () => {
  it('is built from the present meta and documents, under its own key', async () => {
    const seen = submitted();
    const { id, userId, documents } = await approved({ accountPurpose: 'sandbox:refuse' });
    await client.call('PATCH', `/v1/users/${userId}`, { meta: { lastName: 'Wréxhäm', idType: 'passport' } });
    expect(await step.submit(id)).toBe('submission_failed');
    const front = (await uploadDocument(client, userId, 'idFrontImg')).body.id as string;
    await client.call('PATCH', `/v1/cardholders/${id}`, { accountPurpose: 'Travel' });
    expect(await step.submit(id)).toBe('pass_audit');
    expect(seen.map(({ key }) => key)).toEqual([`submission-${id}-1`, `submission-${id}-2`]);
    const [first, second] = seen;
    expect(first).toMatchObject({
      cardholderId: id,
      bin: '44112201',
      person: { lastName: 'Wrexham', idType: 'PASSPORT', address: STREET, idNo: ID_NUMBER },
    });
    expect(first?.documents.map(({ slot, contentType }) => [slot, contentType]).sort()).toEqual([
      ['idFrontImg', 'image/jpeg'],
      ['idHoldImg', 'image/jpeg'],
    ]);
    const content = ({ documents: of }: Application, slot: string) =>
      of.find((each) => each.slot === slot)?.content.toString('latin1');
    expect(content(first as Application, 'idFrontImg')).toContain('idFrontImg of Philippa');
    expect(content(second as Application, 'idFrontImg')).not.toContain('of Philippa');
    expect((await read(client, id)).documents).toEqual(
      expect.arrayContaining([
        { slot: 'idFrontImg', documentId: front },
        { slot: 'idHoldImg', documentId: documents['idHoldImg'] },
      ]),
    );
    expect(JSON.stringify((await client.call('GET', `/v1/users/${userId}`)).body.meta)).toContain('Wréxhäm');
  });

  it.each([
    ['data that the client has broken since', { meta: { birthday: '31.12.1990' } }, 'birthday'],
    ['an email that another cardholder got since', { meta: { email: 'rival@quern.example' } }, 'email'],
  ])('is refused with %s', async (_what, change, named) => {
    if (named === 'email') await pending(api, client, { email: 'Rival@quern.example' });
    const seen = submitted();
    const { id, userId } = await approved();
    await client.call('PATCH', `/v1/users/${userId}`, change);
    expect(await step.submit(id)).toBe('submission_failed');
    expect((await read(client, id)).description).toContain(named);
    expect(seen).toHaveLength(0);
  });

  it('is refused without completed KYC, or without a readable document in each slot', async () => {
    const { userId, ...unidentified } = await approved();
    await api.database.query(`update users set kyc_status = 'rejected' where id = $1`, [userId]);
    expect(await step.submit(unidentified.id)).toBe('submission_failed');
    expect((await read(client, unidentified.id)).description).toContain('KYC');
    const bare = await approved();
    await api.database.query(`update kyc_documents set status = 'rejected' where user_id = $1`, [
      bare.userId,
    ]);
    expect(await step.submit(bare.id)).toBe('submission_failed');
    expect((await read(client, bare.id)).description).toContain('idFrontImg, idHoldImg');
    const damaged = await approved();
    const kept = api.services.parties.documents;
    const get = (error: Error) => ({ ...kept, get: () => Promise.reject(error) });
    api.services.parties.documents = get(new DocumentsAway('test'));
    await expect(step.submit(damaged.id)).rejects.toMatchObject({ status: 503 });
    expect(await statusOf(client, damaged.id)).toBe('wait_audit');
    api.services.parties.documents = get(new DocumentUnreadable('doc'));
    expect(await step.submit(damaged.id)).toBe('submission_failed');
    api.services.parties.documents = kept;
  });

  it('reaches the reviewer once, however often steps run at once', async () => {
    const { id } = await approved({ accountPurpose: 'sandbox:slow' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => step.submit(id)));
    expect(new Set(answers)).toEqual(new Set(['processing']));
    expect(
      await api.database.query('select 1 from sandbox_orders where key like $1', [`%${id}%`]),
    ).toHaveLength(1);
    const again = await calls(id);
    expect(await step.submit(id)).toBe('processing');
    expect(await calls(id)).toBe(again);
  });
});

describe('the sandbox’s reviewer', () => {
  const decisions = { refused: 'submission_failed', rejected: 'reject', passed: 'pass_audit' };
  it.each(REVIEW_SCENARIOS)('treats $accountPurpose as it says', async (scenario) => {
    const { id } = await approved({ accountPurpose: scenario.accountPurpose });
    const outcome = scenario.refusal ? 'refused' : scenario.rejection ? 'rejected' : 'passed';
    const submit = () => step.submit(id).catch((error: Error) => error.name);
    if (scenario.unreachableSeconds) {
      expect(await submit()).toBe('PartyAway');
      later(29);
      expect(await submit()).toBe('PartyAway');
      later(1);
      const gone = scenario.unreachableSeconds === Number.POSITIVE_INFINITY;
      expect(await submit()).toBe(gone ? 'PartyAway' : 'pass_audit');
      return;
    }
    if (scenario.decisionSeconds) {
      expect(await submit()).toBe('processing');
      later(19);
      expect(await step.submit(id)).toBe('processing');
      later(1);
      if (scenario.decisionSeconds === Number.POSITIVE_INFINITY) {
        later(400 * 86_400);
        expect(await step.submit(id)).toBe('processing');
        return;
      }
      expect(await step.submit(id)).toBe(decisions[outcome]);
    } else if (scenario.losesFirstOrder) {
      expect([await submit(), await submit()]).toEqual(['unknown', 'pass_audit']);
    } else if (scenario.losesFirstAnswer) {
      expect([await submit(), await submit()]).toEqual(['unknown', 'pass_audit']);
      expect(await calls(id)).toBe(1);
    } else expect(await submit()).toBe(decisions[outcome]);
    const { description } = await read(client, id);
    expect(description).toBe(scenario.refusal ?? scenario.rejection);
    expect((await eventsOf(api, id)).at(-1)?.description).toBe(description);
  });

  it('stores no personal data', async () => {
    const { id } = await approved({ accountPurpose: 'A flat for Philippa' });
    await step.submit(id);
    const rows = JSON.stringify(await api.database.query('select * from sandbox_orders'));
    expect(rows).toContain(id);
    for (const word of ['Philippa', ID_NUMBER, STREET]) expect(rows).not.toContain(word);
  });
});

describe('data that the reviewer never accepts', () => {
  it('fails with the code of the refusal when it was not accepted at all', async () => {
    const { id } = await approved();
    const { cardholderReview } = api.services.parties;
    const submit = () => Promise.reject(new PartyRefused('unknown_bin'));
    api.services.parties.cardholderReview = { ...cardholderReview, submit };
    expect(await step.submit(id)).toBe('submission_failed');
    expect((await read(client, id)).description).toBe('The provider has refused the data: unknown_bin.');
    api.services.parties.cardholderReview = cardholderReview;
  });
});

describe('attempts that are used up', () => {
  it('fail a submission that was never sent, and the next one has its own key', async () => {
    const { id } = await approved({ accountPurpose: 'sandbox:gone' });
    await expect(step.submit(id)).rejects.toMatchObject({ name: 'PartyAway' });
    expect(await step.giveUp(id)).toBe('submission_failed');
    expect((await read(client, id)).description).toBe('The provider could not be reached.');
    await client.call('PATCH', `/v1/cardholders/${id}`, { accountPurpose: 'Travel' });
    expect(await step.submit(id)).toBe('pass_audit');
    expect(await calls(id, 2)).toBe(1);
  });

  it.each(['timeout', 'the death of the worker'])(
    'leave a submission open that may have arrived: %s',
    async (cause) => {
      const { id } = await approved();
      const { cardholderReview } = api.services.parties;
      const first = cause === 'timeout' ? new OutcomeUnknown() : new Error('the worker dies');
      const failures: Error[] = [first, new PartyAway()];
      api.services.parties.cardholderReview = {
        ...cardholderReview,
        outcome: async () => 'unknown_to_party',
        submit: () => Promise.reject(failures.shift() ?? new Error('once too often')),
      };
      if (cause === 'timeout') expect(await step.submit(id)).toBe('unknown');
      else await expect(step.submit(id)).rejects.toThrow('the worker dies');
      await expect(step.submit(id)).rejects.toMatchObject({ name: 'PartyAway' });
      expect(await step.giveUp(id)).toBe('unknown');
      expect(await statusOf(client, id)).toBe('wait_audit');
      api.services.parties.cardholderReview = cardholderReview;
      expect(await step.submit(id)).toBe('pass_audit');
    },
  );
});

it('ignores an answer about a submission that has ended', async () => {
  const { id } = await approved({ accountPurpose: 'sandbox:reject' });
  const { cardholderReview } = api.services.parties;
  api.services.parties.cardholderReview = {
    ...cardholderReview,
    async outcome(key) {
      // While the reviewer is asked, another attempt learns of the rejection and the client submits again.
      api.services.parties.cardholderReview = cardholderReview;
      await step.submit(id);
      await client.call('POST', `/v1/cardholders/${id}/submit`);
      return cardholderReview.outcome(key);
    },
  };
  expect(await step.submit(id)).toBe('wait_audit');
  expect(await read(client, id)).toMatchObject({ status: 'wait_audit', submissions: 2 });
});

describe('the operator’s review', () => {
  it('is automatic only in the sandbox, unless the tenant’s setting is manual', async () => {
    const own = await api.client();
    const one = await register(own, await identified(api, own));
    const live = createCardholderActivities({ ...api.services, mode: 'live' });
    const look = { cardholderId: one.body.id as string, watchedUntil: 0 };
    expect(await live.lookAtCardholder(look)).toBe('pending_review');
    await setReview(api, own.clientId, 'manual');
    expect(await step.look(one.body.id)).toBe('pending_review');
    await setReview(api, own.clientId, 'auto');
    expect(await step.look(one.body.id)).toBe('wait_audit');
    expect(await step.look(one.body.id)).toBe('wait_audit');
    const decisions = 'select decision, decided_by from cardholder_decisions where cardholder_id = $1';
    expect(await api.database.query(decisions, [one.body.id])).toEqual([
      { decision: 'approved', decided_by: 'sandbox' },
    ]);
  });

  it('is a rejection for the scenario’s purpose', async () => {
    const { id } = await pending(api, client, { accountPurpose: 'sandbox:review-reject' });
    expect(await step.look(id)).toBe('rejected_by_admin');
    expect((await read(client, id)).description).toContain('purpose of the account');
  });
});

describe('the reconciler', () => {
  const stale = async (olderThan: Date, except: string[] = []) =>
    (await cardholderProcesses.stale(api.database, olderThan, 10_000, except)).map(({ args }) => args[0]);

  it('starts again exactly the workflows that nobody watches', async () => {
    clock.at = new Date(); // the clock of the database
    const own = await api.client();
    await setReview(api, own.clientId, 'manual');
    const holders = await Promise.all(
      [{}, {}, { accountPurpose: 'sandbox:slow' }].map((meta) => pending(api, own, meta)),
    );
    const [waiting, lost, submittedNow] = holders.map(({ id }) => id) as [string, string, string];
    const { lookAtCardholder, submitCardholder } = createCardholderActivities(api.services);
    const hour = 60 * 60_000;
    await lookAtCardholder({ cardholderId: waiting, watchedUntil: Date.now() + 12 * hour });
    await decide(api, submittedNow, 'approved');
    await submitCardholder({ cardholderId: submittedNow, watchedUntil: Date.now() + hour });
    const inFive = new Date(Date.now() + 5 * 60_000);
    expect(await stale(inFive)).toContain(lost);
    expect(await stale(inFive)).not.toContain(waiting);
    expect(await stale(inFive)).not.toContain(submittedNow);
    expect(await stale(inFive, [`cardholder-submission-${lost}`])).not.toContain(lost);
    const tomorrow = await stale(new Date(Date.now() + 24 * hour));
    expect(tomorrow).toEqual(expect.arrayContaining([waiting, lost, submittedNow]));
    later(20);
    await step.submit(submittedNow);
    expect(await stale(new Date(Date.now() + 24 * hour))).not.toContain(submittedNow);
    const [first] = await cardholderProcesses.stale(api.database, inFive, 1, []);
    expect(first).toMatchObject({ action: 'start', workflow: 'cardholderSubmission' });
  });
});
