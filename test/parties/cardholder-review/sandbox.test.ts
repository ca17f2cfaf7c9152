import { randomBytes, randomUUID } from 'node:crypto';
import type { Application } from '../../../src/parties/cardholder-review/port';
import { REVIEW_SCENARIOS } from '../../../src/parties/cardholder-review/sandbox/scenarios';
import { OutcomeUnknown } from '../../../src/process/party-errors';
import { type SandboxWorld, sandboxWorld } from '../sandbox/support';

let world: SandboxWorld;
beforeAll(async () => {
  world = await sandboxWorld({ cardholderReviewSeconds: 2 });
});
afterAll(() => world.close());

const later = (seconds: number) => {
  world.clock.at += seconds * 1000;
};
const review = () => world.api.services.parties.cardholderReview;

function application(accountPurpose: string, given: Partial<Application> = {}): Application {
  return {
    key: randomUUID(),
    cardholderId: 'chd_x',
    bin: '44112201',
    documents: [],
    person: { firstName: 'Philippa', accountPurpose },
    callbackUrl: 'https://api.example/callbacks/cardholder-review',
    ...given,
  };
}

it('takes an application with three documents of ten MiB, and stores none of them', async () => {
  const slots = ['idFrontImg', 'idBackImg', 'idHoldImg'];
  const documents = slots.map((slot) => ({
    slot,
    contentType: 'image/jpeg',
    content: randomBytes(10 * 1024 * 1024),
  }));
  const given = application('Travel', { documents });
  expect(await review().submit(given)).toEqual({ version: 1, status: 'processing' });
  const rows = JSON.stringify(await world.api.database.query('select * from sandbox_orders'));
  expect(rows).toContain(given.key);
  for (const word of ['Philippa', 'Travel', 'idFrontImg']) expect(rows).not.toContain(word);
  expect(rows.length).toBeLessThan(1_000);
});

it('decides after its delay, once for each key', async () => {
  const given = application('sandbox:reject');
  expect(await review().outcome(given.key)).toBe('unknown_to_party');
  expect(await review().submit(given)).toEqual({ version: 1, status: 'processing' });
  later(2);
  const rejected = {
    version: 2,
    status: 'rejected',
    reason: expect.stringContaining('could not be verified'),
  };
  expect(await review().outcome(given.key)).toEqual(rejected);
  expect(await review().submit({ ...given, person: {} })).toEqual(rejected);
});

it('refuses unusable data in its first answer', async () => {
  const refused = { version: 1, status: 'refused', reason: expect.stringContaining('idNo') };
  expect(await review().submit(application('sandbox:refuse'))).toEqual(refused);
});

it('loses the first answer or the first application by the purpose', async () => {
  const [answer, lost] = [application('sandbox:timeout'), application('sandbox:lost')];
  await expect(review().submit(answer)).rejects.toBeInstanceOf(OutcomeUnknown);
  expect(await review().outcome(answer.key)).toMatchObject({ status: 'processing' });
  await expect(review().submit(lost)).rejects.toBeInstanceOf(OutcomeUnknown);
  expect(await review().outcome(lost.key)).toBe('unknown_to_party');
  expect(await review().submit(lost)).toMatchObject({ status: 'processing' });
});

it('stays unreachable for ever by the purpose, and plans no change', async () => {
  const gone = application('sandbox:gone');
  for (const seconds of [0, 86_400, 365 * 86_400]) {
    later(seconds);
    // The error is exactly PartyAway, because OutcomeUnknown would mean a possible submission.
    await expect(review().submit(gone)).rejects.toMatchObject({ name: 'PartyAway' });
    await expect(review().outcome(gone.key)).rejects.toMatchObject({ name: 'PartyAway' });
  }
  const silent = application('sandbox:silent');
  await review().submit(silent);
  const changes = 'select ref from sandbox_party_changes where ref = any($1)';
  expect(await world.api.database.query(changes, [[gone.key, silent.key]])).toEqual([{ ref: silent.key }]);
});

it('documents each of its magic values once', () => {
  const purposes = REVIEW_SCENARIOS.map(({ accountPurpose }) => accountPurpose);
  expect(new Set(purposes).size).toBe(purposes.length);
});
