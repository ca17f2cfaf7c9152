import { createHousekeepingActivities } from '../../activities/housekeeping';
import { removeDueContent } from '../../src/people/kyc/documents/content';
import type { Client } from '../support/api';
import { activeCard } from '../support/cards';
import { createUser, jpeg, upload } from '../support/uploads';
import { holderIn, pending, read } from './cardholders/support';
import { type KycApi, kycApi } from './kyc/support';

let api: KycApi;
let client: Client;
let forget: () => Promise<number>;
beforeAll(async () => {
  api = await kycApi();
  client = await api.client();
  forget = createHousekeepingActivities(api.services).forgetPersonalData;
});
afterAll(() => api.close());

it('deletes challenges after 400 days', async () => {
  const { id } = await activeCard(api, client, '1.00');
  await api.database.query(
    `insert into card_challenges (id, challenge_id, tenant_id, card_id, status, amount, currency, merchant, send_by,
                                  code_ends_at, expires_at, created_at, updated_at)
       select 'chl_' || age, 'of ' || age, $1, $2, 'used', 1, 'USD', '{}', at, at, at, at, at
         from (select age, now() - make_interval(days => age) as at from unnest(array[399, 401]) as age) a`,
    [client.clientId, id],
  );
  expect(await forget()).toBe(1);
  expect(await api.database.query('select challenge_id as of from card_challenges')).toEqual([
    { of: 'of 399' },
  ]);
});

it('deletes mails of the sandbox after seven days, to operators too', async () => {
  await api.database.query(
    `insert into sandbox_mails (id, tenant_id, sealed, created_at)
       values ('new', $1, '', now() - interval '6 days'), ('old', $1, '', now() - interval '8 days'),
              ('to an operator', null, '', now() - interval '8 days')`,
    [client.clientId],
  );
  expect(await forget()).toBe(2);
  expect(await api.database.query('select id from sandbox_mails')).toEqual([{ id: 'new' }]);
});

it('deletes files of cardholders after thirty days, with their content', async () => {
  const uploaded = async () =>
    (await upload(client, '/v1/cardholders/files', [['file', { bytes: jpeg() }]])).body.fileId as string;
  const [young, old] = [await uploaded(), await uploaded()];
  await createUser(client);
  await api.database.query(
    `update cardholder_files set created_at = now() - interval '31 days' where id = $1`,
    [old],
  );
  expect(await forget()).toBe(1);
  expect(await api.database.query('select id from cardholder_files')).toEqual([{ id: young }]);
  expect(await api.database.query('select count::int from stored_files')).toEqual([{ count: 1 }]);
  expect(await removeDueContent(api.services, 50)).toEqual({ more: false });
  expect(await api.stored()).toEqual([`${client.clientId}/${young}`]);
});

it('removes the names of rejected cardholders after the retention of their tenant', async () => {
  const [young, old, waiting] = [
    await holderIn(api, client, 'rejected_by_admin'),
    await holderIn(api, client, 'rejected_by_admin'),
    await pending(api, client),
  ];
  const age = (id: string, years: number) =>
    api.database.query(
      `update cardholders set updated_at = now() - make_interval(years => $2) where id = $1`,
      [id, years],
    );
  await age(young.id, 4);
  await age(old.id, 6);
  await age(waiting.id, 6);
  expect(await forget()).toBe(1);
  expect(await read(client, old.id)).toMatchObject({ maskedName: '', maskedEmail: '' });
  expect(await read(client, young.id)).toMatchObject({ maskedName: expect.stringMatching(/./) });
  expect(await read(client, waiting.id)).toMatchObject({ maskedName: expect.stringMatching(/./) });
  const [row] = await api.database.query(
    'select email_hash, email_sealed, description from cardholders where id = $1',
    [old.id],
  );
  expect(row).toEqual({ email_hash: null, email_sealed: null, description: null });
  await api.database.query(`update tenants set settings = settings || '{"retentionYears":3}' where id = $1`, [
    client.clientId,
  ]);
  expect(await forget()).toBe(1);
  // The person may try again: a submission fills the record.
  const submitted = await client.call('POST', `/v1/cardholders/${old.id}/submit`, {});
  expect(submitted.body).toMatchObject({ status: 'pending_review', maskedName: expect.stringMatching(/./) });
});
