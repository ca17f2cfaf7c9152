import { SIGNATURE_HEADER, signMessage } from '../../../../src/parties/protocol/signature';
import { partySecret } from '../../../../src/parties/sandbox/mount';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { until } from '../../../support/until';
import { decide, pending, setReview, statusOf, steps } from '../support';

/** Callbacks of the reviewer wake the cardholder's workflow and do nothing else. */

let api: TestApi;
let client: Client;
const clock = { at: new Date() };
let step: ReturnType<typeof steps>;
beforeAll(async () => {
  api = await testApi({ now: () => clock.at });
  client = await api.client();
  await setReview(api, client.clientId, 'manual');
  step = steps(api.services);
});
afterAll(() => api.close());

const later = (seconds: number) => {
  clock.at = new Date(clock.at.getTime() + seconds * 1000);
};
const looks = (id: string) =>
  api.commands.filter(({ args, action }) => args[0] === id && action === 'look').length;

async function approved(accountPurpose: string): Promise<string> {
  const { id } = await pending(api, client, { accountPurpose });
  await decide(api, id, 'approved');
  return id;
}

let messages = 0;
/** Sends a callback of the reviewer. @returns its status and its outcome */
async function call(key: string, secret = partySecret(api.services.keyring, 'cardholder-review')) {
  const id = `message-${(messages += 1)}`;
  const raw = Buffer.from(JSON.stringify({ id, key }));
  const headers = { [SIGNATURE_HEADER]: signMessage(raw, secret, clock.at) };
  const { status } = await api.call('POST', '/callbacks/cardholder-review', raw, headers);
  const [row] = await api.database.query<{ outcome: string }>(
    'select outcome from provider_callbacks where external_id = $1',
    [id],
  );
  return [status, row?.outcome];
}

it('wakes the workflow when the reviewer has decided', async () => {
  const id = await approved('sandbox:slow-reject');
  expect(await step.submit(id)).toBe('processing');
  const before = looks(id);
  later(20);
  await until(() => looks(id) === before + 1);
  expect(await step.submit(id)).toBe('reject');
});

it('wakes only the submission that is under way', async () => {
  const id = await approved('sandbox:silent');
  const before = looks(id);
  expect(await call(`submission-${id}-1`)).toEqual([200, 'told']);
  expect(looks(id)).toBe(before + 1);
  expect(await call(`submission-${id}-2`)).toEqual([200, 'ended']);
  const rejected = await approved('sandbox:refuse');
  await step.submit(rejected);
  expect(await call(`submission-${rejected}-1`)).toEqual([200, 'ended']);
  for (const key of ['submission-', 'submission-chd_x-1', `submission-${id}`, `issue-${id}`])
    expect(await call(key)).toEqual([200, 'unknown']);
  expect(looks(id)).toBe(before + 1);
  expect(await statusOf(client, id)).toBe('wait_audit');
});

it('is refused without the reviewer’s signature', async () => {
  const id = await approved('sandbox:silent');
  const before = looks(id);
  expect(await call(`submission-${id}-1`, Buffer.alloc(32))).toEqual([401, undefined]);
  expect(looks(id)).toBe(before);
});
