/** @long */
import { randomBytes } from 'node:crypto';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard, fund } from '../../support/cards';
import { masterKeysText, testKeyring } from '../../support/keyring';
import { command, type OperatorAnswer, operatorOf, type TestOperator } from '../../support/operator';
import {
  breaksOf,
  created,
  fundedAccount,
  IBAN,
  look,
  lookUntil,
  read,
  SEPA,
} from '../../transfers/payouts/support';

const masterKey = randomBytes(32);
const TEMPORAL = 'http://temporal.test';
let api: TestApi;
let client: Client;
let accountId: string;
let operator: TestOperator;
beforeAll(async () => {
  api = await testApi({ keyring: testKeyring(masterKey) });
  client = await api.client();
  accountId = await fundedAccount(api, client, '90000.00');
  operator = await operatorOf(api, masterKey, { TEMPORAL_UI_URL: `${TEMPORAL}/` });
});
afterAll(() => api.close());

const waiting = async (queue: string): Promise<number> =>
  (await operator('desk', '--json')).json().find((each: { list: string }) => each.list === queue).count;
const audited = (subject: string) =>
  api.database.query<{ actor: string; action: string; after: any }>(
    'select actor, action, after from audit_log where subject = $1 order by id',
    [subject],
  );

/** Creates a payout above the threshold. */
async function pending(): Promise<string> {
  const id = await created(client, accountId, { amount: '10000.00' });
  expect(await look(api, id)).toBe('pending_approval');
  return id;
}

it('takes a payout above the threshold from the desk to the party', async () => {
  const id = await pending();
  expect(await waiting('payouts')).toBe(1);
  expect((await operator('desk')).text).toMatch(/payouts\s+1\s+\d+ s/);
  const listed = (await operator('desk', 'list', 'payouts', '--json')).json();
  expect(listed).toMatchObject({ list: 'payouts', items: [{ id, client: client.clientId }], next: null });

  const masked = await operator('show', id);
  expect(masked.text).toContain(`payout ${id}: pending_approval since `);
  expect(masked.text).toContain(`${TEMPORAL}/namespaces/default/workflows/payout-lifecycle-${id}`);
  expect(masked.text).not.toContain(IBAN);

  expect((await operator('show', id, '--reveal', '--json')).code).toBe(2);
  expect(await audited(id)).toEqual([]);
  const seen = await operator('show', id, '--reveal', '--reason', 'to call them', '--json');
  expect(seen.json().revealed).toEqual(SEPA);
  const [line] = await audited(id);
  expect(line).toMatchObject({
    action: 'payout.reveal',
    after: { reason: 'to call them', fields: Object.keys(SEPA) },
  });
  expect(JSON.stringify(line)).not.toContain(IBAN);

  expect((await operator('payout', 'approve', id, '--reason', 'called')).code).toBe(0);
  expect(await waiting('payouts')).toBe(0);
  await lookUntil(api, id, 'completed');
  const story = (await operator('show', id, '--json')).json();
  expect(story).toMatchObject({
    what: 'payout',
    status: 'completed',
    tenantId: client.clientId,
    cut: [],
    overdue: false,
    workflowId: `payout-lifecycle-${id}`,
    record: { accountId, destination: { name: 'A*** B***' } },
    lists: {
      decisions: [{ decision: 'approve', reason: 'called' }],
      audit: [{ action: 'payout.reveal' }, { action: 'payout.approve' }],
    },
  });
  const { words, entries, booked, events } = story.lists;
  expect(words.map(({ word }: { word: { status: string } }) => word.status)).toEqual([
    ...new Set(words.map(({ word }: { word: { status: string } }) => word.status)),
  ]);
  expect(words.at(-1)).toMatchObject({ word: { status: 'completed' }, at: expect.any(String) });
  expect(entries[0]).toMatchObject({ component: 'held', account: accountId, amount: '10000.35' });
  expect(booked).toContainEqual(expect.objectContaining({ component: 'paid', amount: '10000.00' }));
  expect(events.map(({ event }: { event: string }) => event)).toEqual(
    expect.arrayContaining(['payout.status_changed', 'account_transaction']),
  );
  expect(events.at(-1)).toMatchObject({ delivery: 'recorded' });
  const cut = (await operator('show', id, '--limit', '1', '--json')).json();
  expect(cut.cut).toEqual(expect.arrayContaining(['entries', 'events', 'words']));
  expect(cut.lists.entries).toHaveLength(1);
  expect(await breaksOf(api, id)).toEqual([]);
});

it('pages and filters queues', async () => {
  const ids = [await pending(), await pending(), await pending()];
  const first = (await operator('desk', 'list', 'payouts', '--limit', '2', '--json')).json();
  const second = (await operator('desk', 'list', 'payouts', '--after', first.next, '--json')).json();
  const found = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
  expect(found).toEqual(ids);
  const count = async (...filter: string[]) =>
    (await operator('desk', 'list', 'payouts', ...filter, '--json')).json().items.length;
  expect(await count('--currency', 'EUR', '--kind', 'sepa', '--client', client.clientId)).toBe(3);
  expect(await count('--currency', 'USD')).toBe(0);
  expect(await count('--older-than', '1h')).toBe(0);
  const page = await operator('payout', 'list', '--limit', '1');
  expect([page.text.split('\n').length, page.err]).toEqual([2, expect.stringContaining('--after')]);
  for (const id of ids) await operator('payout', 'reject', id, '--reason', 'enough');
});

it('shows a parked command at the desk and with its record until it is retried', async () => {
  const id = await pending();
  await api.database.query(
    `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, parked_at, last_error, attempts)
     values ('payoutLifecycle', 'payout-lifecycle-' || $1, 'processes', 'look', '[]', now() - interval '2 hours',
             'INVALID_ARGUMENT', 20)`,
    [id],
  );
  expect((await operator('desk')).text).toMatch(/commands\s+1\s+2 h/);
  const [parked] = (await operator('commands', 'list', '--json')).json();
  expect((await operator('show', id)).text).toMatch(/still to be told[^]*INVALID_ARGUMENT/);
  expect((await operator('commands', 'retry', parked.number, '--reason', 'repaired')).code).toBe(0);
  expect(await waiting('commands')).toBe(0);
});

it('shows the story of every kind of id', async () => {
  const card = await activeCard(api, client);
  await fund(api, card.accountId, '10.00');
  const payout = await pending();
  const { quoteId } = await read(client, accountId, payout);
  const shown = (await client.call('GET', `/v1/cards/${card.id}`)).body;
  const [event] = await api.database.query<{ id: string }>(
    `select data_id as id from events where event = 'payout.status_changed' limit 1`,
  );
  const [leg] = await api.database.query<{ id: string }>(
    `select reference_id as id from ledger_legs where listed and account_id = $1 limit 1`,
    [card.accountId],
  );
  await operator('iban', 'enable', client.clientId);
  const iban = (await operator('iban', 'list', '--json')).json()[0].id as string;
  const file = 'file_01jz0000000000000000000000';
  await api.database.query(
    `insert into cardholder_files (id, tenant_id, content_type, size, sha256) values ($1, $2, 'image/png', 1, 'f00d')`,
    [file, client.clientId],
  );
  const callback = 'cbk_01jz0000000000000000000000';
  await api.database.query(
    `insert into provider_callbacks (id, party, external_id, body, headers) values ($1, 'bank', 'm1', '', '{}')`,
    [callback],
  );
  const ids: Record<string, string> = {
    file,
    callback,
    tenant: client.clientId,
    card: card.id,
    user: shown.userId,
    cardholder: shown.cardholderId,
    account: card.accountId,
    'virtual IBAN': iban,
    quote: quoteId,
    reference: leg?.id ?? '',
    'webhook event': event?.id ?? '',
  };
  for (const [what, id] of Object.entries(ids)) {
    const answer = await operator('show', id, '--json');
    expect([what, answer.err]).toEqual([what, '']);
    expect(answer.json()).toMatchObject({ id, what });
    expect((await operator('show', id)).text).toContain(`${what} ${id}`);
  }
  await operator('payout', 'reject', payout, '--reason', 'no');
  const [decision] = await api.database.query<{ id: string }>(
    `select id from transfer_decisions where transfer_id = $1`,
    [payout],
  );
  expect((await operator('show', decision?.id ?? '', '--json')).json()).toMatchObject({ id: payout });
});

it('masks the identity of a cardholder, and reveals it with a reason', async () => {
  const card = await activeCard(api, client);
  const { cardholderId, userId } = (await client.call('GET', `/v1/cards/${card.id}`)).body;
  const { meta } = (await client.call('GET', `/v1/users/${userId}`)).body;
  const masked =
    (await operator('show', cardholderId, '--json')).text + (await operator('show', userId)).text;
  expect(masked).not.toContain(meta.email);
  const seen = await operator('show', cardholderId, '--reveal', '--reason', 'review', '--json');
  expect(seen.json().revealed).toEqual(meta);
  expect(JSON.stringify(await audited(cardholderId))).not.toContain(meta.email);
  expect((await operator('show', card.id, '--reveal', '--reason', 'review')).code).toBe(2);
});

describe('exit codes', () => {
  const code = async (answer: Promise<OperatorAnswer>) => (await answer).code;

  it('are 0 for success and help, 2 for usage and input, 3 for not found, 4 for a conflict, 1 for any other failure', async () => {
    const id = await created(client, accountId);
    expect(await code(operator('desk'))).toBe(0);
    expect(await code(operator('payout', '--help'))).toBe(0);
    expect(await code(operator('payout'))).toBe(2);
    expect(await code(operator('desk', 'list', 'dreams'))).toBe(2);
    expect(await code(operator('payout', 'reject', id))).toBe(2);
    expect(await code(operator('desk', 'list', 'kyc', '--currency', 'USD'))).toBe(2);
    expect(await code(operator('desk', 'list', 'kyc', '--after', 'x'))).toBe(2);
    expect(await code(operator('show', 'pay_none'))).toBe(3);
    expect(await code(operator('show', 'pay_01jz0000000000000000000000'))).toBe(3);
    expect(await code(operator('payout', 'approve', id))).toBe(4);
    const away = {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      MASTER_KEYS: masterKeysText(masterKey),
    };
    expect((await command(away, 'desk')).code).toBe(1);
  });

  it('come with a JSON error on standard error and an empty standard output', async () => {
    const answer = await operator('desk', 'list', 'kyc', '--currency', 'USD', '--json');
    expect([answer.text, JSON.parse(answer.err)]).toEqual([
      '',
      { code: 'usage', message: expect.any(String), field: 'currency' },
    ]);
  });
});
