import { type Client, type TestApi, testApi } from '../../../support/api';
import { command, operatorEnvironment } from '../../../support/operator';
import { eventsOf, pending, read } from '../support';

let api: TestApi;
let client: Client;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  environment = await operatorEnvironment(api.database);
});
afterAll(() => api.close());

async function operator(...argv: string[]) {
  const { code, out, err } = await command(environment, 'cardholder', ...argv);
  return { code, text: out, err };
}

const waitingCommands = (id: string) =>
  api.database.query(
    `select workflow_id, action from workflow_commands where args ->> 0 = $1 and action = 'look'`,
    [id],
  );

it('lists the waiting cardholders, masked', async () => {
  const { id } = await pending(api, client);
  const rows = JSON.parse((await operator('list', '--json')).text) as unknown[];
  const { userId, bin, maskedName, updatedAt } = await read(client, id);
  expect(rows).toContainEqual({
    id,
    client: client.clientId,
    user: userId,
    bin,
    name: maskedName,
    since: updatedAt,
  });
  const { text } = await operator('list');
  expect(text).not.toContain('Philippa');
});

it('approves: stores the decision with its operator, and wakes the workflow', async () => {
  const { id } = await pending(api, client);
  const answer = await operator('approve', id, '--reason', 'Checked by telephone.', '--json');
  expect(answer.code).toBe(0);
  expect(JSON.parse(answer.text)).toEqual(await read(client, id));
  expect(await read(client, id)).toMatchObject({ status: 'wait_audit', submissions: 1 });
  expect((await read(client, id)).description).toBeUndefined();
  const decisions = await api.database.query<Record<string, string>>(
    'select decision, reason, decided_by from cardholder_decisions where cardholder_id = $1',
    [id],
  );
  expect(decisions).toEqual([
    {
      decision: 'approved',
      reason: 'Checked by telephone.',
      decided_by: expect.stringMatching(/^operator:.+/),
    },
  ]);
  expect(await waitingCommands(id)).toEqual([{ workflow_id: `cardholder-submission-${id}`, action: 'look' }]);
  const audited = 'select actor, action, tenant_id, before, after from audit_log where subject = $1';
  expect(await api.database.query(audited, [id])).toEqual([
    {
      actor: decisions[0]?.['decided_by'],
      action: 'cardholder.approve',
      tenant_id: client.clientId,
      before: { status: 'pending_review' },
      after: { status: 'wait_audit', reason: 'Checked by telephone.' },
    },
  ]);
});

it('rejects with the given reason, or with a default text', async () => {
  const [one, two] = await Promise.all([pending(api, client), pending(api, client)]);
  expect((await operator('reject', one.id, '--reason', 'The photo is not sharp.')).text).toBe(
    `${one.id} is rejected_by_admin.`,
  );
  expect(await read(client, one.id)).toMatchObject({
    status: 'rejected_by_admin',
    description: 'The photo is not sharp.',
  });
  expect((await eventsOf(api, one.id)).at(-1)?.description).toBe('The photo is not sharp.');
  await operator('reject', two.id, '--reason', 'No answer.');
  expect((await read(client, two.id)).description).toBe('No answer.');
  expect(await operator('reject', two.id)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--reason'),
  });
});

it('refuses an impossible decision and changes nothing', async () => {
  const { id } = await pending(api, client);
  await operator('reject', id, '--reason', 'Not known.');
  const again = await operator('approve', id);
  expect([again.code, again.err]).toEqual([4, 'A cardholder that is rejected_by_admin cannot be approved.']);
  expect(await operator('approve', 'nonsense')).toMatchObject({ code: 3, err: 'cardholder not found.' });
  expect((await operator('reject', id, '--reason', ' ')).code).toBe(2);
  const rows = await api.database.query('select 1 from cardholder_decisions where cardholder_id = $1', [id]);
  expect(rows).toHaveLength(1);
});

it('previews what an approval does, and refuses it where the client has changed the data since', async () => {
  const { id, userId } = await pending(api, client);
  const shown = await operator('approve', id, '--preview');
  expect(shown.text).toMatch(/status\s+pending_review\s+wait_audit\nsubmissions\s+0\s+1/);
  const { version } = JSON.parse((await operator('approve', id, '--preview', '--json')).text);
  await client.call('PATCH', `/v1/users/${userId}`, { meta: { note: 'moved' } });
  const late = await operator('approve', id, '--version', version);
  expect([late.code, late.err]).toEqual([4, expect.stringContaining('user changed')]);
  expect(await read(client, id)).toMatchObject({ status: 'pending_review' });
});
