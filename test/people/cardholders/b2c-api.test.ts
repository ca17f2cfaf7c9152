/** @long */
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../../support/api';
import { createUser, uploadDocument } from '../../support/uploads';
import {
  B2C_USD,
  decide,
  eventsOf,
  type Holder,
  holderIn,
  identified,
  identity,
  pending,
  read,
  register,
  statusOf,
  steps,
} from './support';

let api: TestApi;
let client: Client;
let other: Client;
let admin: Client;
beforeAll(async () => {
  api = await testApi(DECIDED_AT_ONCE);
  [client, other, admin] = await Promise.all([api.client(), api.client(), api.client('admin')]);
});
afterAll(() => api.close());

const metaOf = async (userId: string) => (await client.call('GET', `/v1/users/${userId}`)).body.meta;
const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  client.call('PATCH', `/v1/cardholders/${id}`, body, headers);
const act = (id: string, action: 'retry' | 'submit', headers: Record<string, string> = {}) =>
  client.call('POST', `/v1/cardholders/${id}/${action}`, undefined, headers);
const commandsFor = (id: string) => api.commands.filter(({ args }) => args[0] === id);
const reject = (documentId: string) =>
  api.database.query(`update kyc_documents set status = 'rejected' where id = $1`, [documentId]);

describe('creation on a B2C BIN', () => {
  it('names every missing field in one answer', async () => {
    const accountId = (await client.call('GET', '/v1/accounts?currency=USD')).body.data[0].id;
    const userId = (await client.call('POST', '/v1/users', { meta: { country: 'GB', gender: 'X' } })).body.id;
    const path = `/v1/users/${userId}/cardholder`;
    const { status, body } = await client.call('POST', path, { accountId, bin: B2C_USD });
    expect([status, body.field, body.message]).toEqual([400, 'firstName', 'firstName is required.']);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([
      ...['firstName', 'lastName', 'email', 'phone', 'phoneCode', 'birthday', 'town', 'address', 'postCode'],
      ...['gender', 'idType', 'idNo', 'idIssueDate', 'nationality', 'occupation'],
    ]);
  });

  it('is pending_review, with the documents, and starts a workflow', async () => {
    const person = await identified(api, client, { firstName: 'Zoë', phoneCode: '44', idType: 'passport' });
    const answer = await register(client, person, { 'x-idempotency-key': 'b2c-1' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^chd_/),
      userId: person.userId,
      accountId: person.accountId,
      bin: B2C_USD,
      model: 'B2C',
      status: 'pending_review',
      submissions: 0,
      documents: expect.arrayContaining([
        { slot: 'idFrontImg', documentId: person.documents['idFrontImg'] },
        { slot: 'idHoldImg', documentId: person.documents['idHoldImg'] },
      ]),
      maskedName: 'Z** W******',
      maskedEmail: expect.stringMatching(/^p\*\*\*@/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(answer.body.documents).toHaveLength(2);
    expect(await metaOf(person.userId)).toMatchObject({
      firstName: 'Zoe',
      phoneCode: '+44',
      idType: 'PASSPORT',
      postCode: 'SW1A1AA',
    });
    expect(commandsFor(answer.body.id)).toMatchObject([
      {
        workflow: 'cardholderSubmission',
        workflowId: `cardholder-submission-${answer.body.id}`,
        action: 'start',
        tenantId: client.clientId,
      },
    ]);
    expect(await eventsOf(api, answer.body.id)).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        cardholderId: answer.body.id,
        userId: person.userId,
        bin: B2C_USD,
        status: 'pending_review',
        previousStatus: null,
        timestamp: answer.body.createdAt,
        key: 'b2c-1',
        registration: 'cardholder',
      },
    ]);
  });

  it('takes the newest document of a slot that is not rejected', async () => {
    const person = await identified(api, client);
    const newer = (await uploadDocument(client, person.userId, 'idFrontImg')).body.id as string;
    const newest = (await uploadDocument(client, person.userId, 'idFrontImg')).body.id as string;
    await reject(newest);
    const { body } = await register(client, person);
    expect(body.documents).toContainEqual({ slot: 'idFrontImg', documentId: newer });
  });

  it('is 412 without a document that the kind of identity requires', async () => {
    const person = await identified(api, client, { idType: 'DLN' });
    const refused = await register(client, person);
    expect(refused).toMatchObject({ status: 412, body: { code: 'documents_missing' } });
    expect(refused.body.message).toContain('idBackImg');
    await uploadDocument(client, person.userId, 'idBackImg');
    expect((await register(client, person)).status).toBe(201);
  });

  it('creates one cardholder and one workflow when fifty requests arrive together', async () => {
    const person = await identified(api, client);
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(client, person)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(commandsFor(answers[0]?.body.id)).toHaveLength(1);
    expect(await eventsOf(api, answers[0]?.body.id)).toHaveLength(1);
  });

  it('waits for the decision when the caller prefers to wait', async () => {
    const person = await identified(api, client, { accountPurpose: 'sandbox:reject' });
    const answered = register(client, person, { prefer: 'wait=20', 'x-idempotency-key': 'b2c-wait' });
    let id: string | undefined;
    while (!id) {
      [{ id } = { id: undefined }] = await api.database.query<{ id: string }>(
        'select id from cardholders where user_id = $1',
        [person.userId],
      );
    }
    const { look, submit } = steps(api.services);
    expect([await look(id), await submit(id)]).toEqual(['wait_audit', 'reject']);
    expect(await answered).toMatchObject({ status: 201, body: { status: 'reject' } });
    const replayed = await register(client, person, { 'x-idempotency-key': 'b2c-wait' });
    expect(replayed.body.status).toBe('pending_review'); // the stored answer has the first status
    expect((await eventsOf(api, id)).map(({ key }) => key)).toEqual(['b2c-wait', 'b2c-wait', 'b2c-wait']);
  });
});

describe('PATCH /v1/cardholders/{id}', () => {
  let holder: Holder;
  beforeAll(async () => {
    holder = await pending(api, client);
  });

  it.each([
    [{}, undefined],
    [{ ipAddress: '10.0.0.1' }, 'ipAddress'],
    [{ status: 'pass_audit' }, 'status'],
    [{ firstName: 7 }, 'firstName'],
    [{ firstName: null }, 'firstName'],
    [{ firstName: 'sandBoxer' }, 'firstName'],
    [{ address: '1, High Street' }, 'address'],
    [{ phone: '2079460000' }, 'phone'],
    [{ idType: 'national_id' }, 'idType'],
    [{ idExpiryDate: '2019-12-31' }, 'idExpiryDate'],
    [{ country: 'FR' }, 'phone'], // the resulting data is checked: the phone is not French
    [{ birthday: '2026-02-30' }, 'birthday'],
  ])('with %j is a 400 that names %s and changes nothing', async (body, field) => {
    const before = [await read(client, holder.id), await metaOf(holder.userId)];
    const answer = await patch(holder.id, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.body.field).toBe(field);
    expect([await read(client, holder.id), await metaOf(holder.userId)]).toEqual(before);
  });

  it('changes the given fields in the user’s meta, corrected, and keeps the rest', async () => {
    const before = await metaOf(holder.userId);
    const answer = await patch(holder.id, { lastName: 'Müller', postCode: 'EC1A 1BB', annualSalary: '< 10' });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'pending_review', maskedName: 'P******* M*****' },
    });
    expect(await metaOf(holder.userId)).toEqual({
      ...before,
      lastName: 'Muller',
      postCode: 'EC1A1BB',
      annualSalary: '< 10',
    });
    expect(await eventsOf(api, holder.id)).toHaveLength(1);
  });

  it('is refused when meta would become too large', async () => {
    const answer = await patch(holder.id, { accountPurpose: 'x'.repeat(17_000) });
    expect(answer).toMatchObject({ status: 400, body: { field: 'meta' } });
  });

  it('gives an email to one cardholder on the BIN when requests arrive together', async () => {
    const one = await pending(api, client, { email: 'taken@quern.example' });
    const taken = await patch(holder.id, { email: 'Taken@Quern.example' });
    expect(taken).toMatchObject({ status: 400, body: { code: 'ErrAlreadyExists', field: 'email' } });
    expect((await patch(one.id, { email: 'TAKEN@quern.example' })).status).toBe(200); // its own email
    const holders = await Promise.all(Array.from({ length: 6 }, () => pending(api, client)));
    const answers = await Promise.all(holders.map(({ id }) => patch(id, { email: 'Wanted@quern.example' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    for (const { body } of answers.filter(({ status }) => status === 400))
      expect(body).toMatchObject({ code: 'ErrAlreadyExists', field: 'email' });
    const winner = answers.find(({ status }) => status === 200);
    expect(winner?.body.maskedEmail).toBe('w***@quern.example');
    const late = await identified(api, client, { email: 'wanted@quern.example' });
    expect(await register(client, late)).toMatchObject({ status: 400, body: { code: 'ErrAlreadyExists' } });
  });

  it('submits a failed cardholder again at once, with its new data and documents', async () => {
    const failed = await holderIn(api, client, 'submission_failed');
    expect(await read(client, failed.id)).toMatchObject({
      submissions: 1,
      description: expect.stringContaining('refused'),
    });
    const front = (await uploadDocument(client, failed.userId, 'idFrontImg')).body.id as string;
    const answer = await patch(failed.id, { accountPurpose: 'Travel' }, { 'x-idempotency-key': 'again' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'wait_audit', submissions: 2 } });
    expect(answer.body.description).toBeUndefined();
    expect(answer.body.documents).toContainEqual({ slot: 'idFrontImg', documentId: front });
    expect(commandsFor(failed.id).at(-1)).toMatchObject({ action: 'look', workflow: 'cardholderSubmission' });
    expect((await patch(failed.id, { accountPurpose: 'x' })).body.code).toBe('status_not_editable');
    expect(await steps(api.services).submit(failed.id)).toBe('pass_audit');
    expect((await eventsOf(api, failed.id)).slice(-2)).toMatchObject([
      { status: 'wait_audit', previousStatus: 'submission_failed', key: 'again' },
      { status: 'pass_audit', previousStatus: 'wait_audit', key: 'again' },
    ]);
  });

  it('requires documents and completed KYC only when it submits again', async () => {
    const failed = await holderIn(api, client, 'submission_failed');
    await reject(failed.documents['idHoldImg'] ?? '');
    const before = await metaOf(failed.userId);
    const refused = await patch(failed.id, { annualSalary: '1' });
    expect(refused).toMatchObject({ status: 412, body: { code: 'documents_missing' } });
    expect(await metaOf(failed.userId)).toEqual(before);
    const rejected = await holderIn(api, client, 'reject');
    await reject(rejected.documents['idHoldImg'] ?? '');
    expect((await patch(rejected.id, { annualSalary: '1' })).status).toBe(200);
    expect((await act(rejected.id, 'submit')).body.code).toBe('documents_missing');
    await uploadDocument(client, rejected.userId, 'idHoldImg');
    await api.database.query(`update users set kyc_status = 'rejected' where id = $1`, [rejected.userId]);
    expect((await act(rejected.id, 'submit')).body.code).toBe('kyc_not_completed');
  });

  it('is 409 without a linked user, 404 for an unknown cardholder or another tenant’s', async () => {
    const orphan = await pending(api, client);
    await api.database.query('update cardholders set user_id = null where id = $1', [orphan.id]);
    const calls = [patch(orphan.id, { gender: 'M' }), act(orphan.id, 'retry'), act(orphan.id, 'submit')];
    for (const call of calls)
      expect(await call).toMatchObject({ status: 409, body: { code: 'no_linked_user' } });
    for (const id of [holder.id, 'nonsense', '%00']) {
      const path = `/v1/cardholders/${id}`;
      expect((await other.call('PATCH', path, { gender: 'M' })).status).toBe(404);
      expect((await other.call('POST', `${path}/retry`)).status).toBe(404);
      expect((await other.call('POST', `${path}/submit`)).status).toBe(404);
    }
    expect((await act(holder.id, 'retry', { 'content-type': 'application/json' })).status).toBe(409);
    expect((await client.call('POST', `/v1/cardholders/${holder.id}/retry`, { x: 1 })).status).toBe(400);
  });

  it('has one effect under one key, and stores its refusal', async () => {
    const failed = await holderIn(api, client, 'submission_failed');
    const key = { 'x-idempotency-key': 'patch-1' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => patch(failed.id, { accountPurpose: 'Travel' }, key)),
    );
    const done = answers.filter(({ body }) => body.code !== 'idempotency_in_progress');
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(done[0]).toMatchObject({ status: 200, body: { submissions: 2 } });
    const refused = await act(failed.id, 'retry', { 'x-idempotency-key': 'retry-1' });
    const replayed = await act(failed.id, 'retry', { 'x-idempotency-key': 'retry-1' });
    expect([refused.status, replayed.text]).toEqual([409, refused.text]);
  });

  it('records an admin’s call in the audit log with the names of the fields only', async () => {
    const { id } = await pending(api, client);
    const path = `/v1/cardholders/${id}`;
    expect((await admin.call('PATCH', path, { address: 'Elsewhere 9' })).status).toBe(200);
    expect((await admin.call('POST', `${path}/submit`)).status).toBe(200);
    const rows = await api.database.query(
      'select actor, action, tenant_id, before, after from audit_log where subject = $1 order by id',
      [id],
    );
    const states = { before: { status: 'pending_review' }, after: { status: 'pending_review' } };
    expect(rows).toMatchObject([
      { action: 'cardholders.update', ...states, after: { fields: ['address'] }, tenant_id: client.clientId },
      { action: 'cardholders.submit', ...states, actor: admin.clientId },
    ]);
    expect(JSON.stringify(rows)).not.toContain('Elsewhere');
  });
});

describe('a change of approved data with kycOnChange=resubmit', () => {
  const kycOf = async (userId: string) => (await client.call('GET', `/v1/users/${userId}/kyc`)).body.status;
  const setting = (kycOnChange: string) =>
    api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
      client.clientId,
      JSON.stringify({ kycOnChange }),
    ]);
  beforeAll(() => setting('resubmit'));
  afterAll(() => setting('keep'));

  it('requires a new KYC submission, without which the cardholder is not submitted', async () => {
    const { id, userId } = await holderIn(api, client, 'reject');
    expect((await patch(id, { lastName: 'Wells' })).status).toBe(200);
    expect(await kycOf(userId)).toBe('resubmission_required');
    const submitted = await client.call('POST', `/v1/cardholders/${id}/submit`);
    expect([submitted.status, submitted.body.code]).toEqual([412, 'kyc_not_completed']);
  });

  it('is refused for a cardholder that would be submitted at once, and changes nothing', async () => {
    const { id, userId } = await holderIn(api, client, 'submission_failed');
    const before = await metaOf(userId);
    const refused = await patch(id, { lastName: 'Wells' });
    expect([refused.status, refused.body.code]).toEqual([412, 'kyc_not_completed']);
    expect([await kycOf(userId), await metaOf(userId)]).toEqual(['completed', before]);
    expect(await statusOf(client, id)).toBe('submission_failed');
  });
});

describe('submit and retry', () => {
  it('check the data again', async () => {
    const { id, userId } = await holderIn(api, client, 'reject');
    await client.call('PATCH', `/v1/users/${userId}`, { meta: { town: 'Springfield' } });
    expect(await act(id, 'submit')).toMatchObject({ status: 400, body: { field: 'town' } });
    expect(await statusOf(client, id)).toBe('reject');
  });

  it('show the data as it was submitted', async () => {
    const { id, userId } = await holderIn(api, client, 'reject');
    const meta = { email: 'Renamed@quern.example', firstName: 'Dora', accountPurpose: null };
    await client.call('PATCH', `/v1/users/${userId}`, { meta });
    expect((await read(client, id)).maskedEmail).toMatch(/^p/);
    expect((await act(id, 'submit')).body).toMatchObject({
      status: 'wait_audit',
      submissions: 2,
      maskedEmail: 'r***@quern.example',
      maskedName: 'D*** W******',
    });
  });

  it('return a cardholder that the operator rejected to the operator', async () => {
    const { id } = await pending(api, client);
    await decide(api, id, 'rejected', 'The photo is not sharp.');
    expect(await read(client, id)).toMatchObject({
      status: 'rejected_by_admin',
      description: 'The photo is not sharp.',
      reviewedAt: expect.any(String),
    });
    expect((await act(id, 'submit')).body).toMatchObject({ status: 'pending_review', submissions: 0 });
    await decide(api, id, 'approved');
    expect(await read(client, id)).toMatchObject({ status: 'wait_audit', submissions: 1 });
    const decisions = await api.database.query(
      'select decision, reason, decided_by from cardholder_decisions where cardholder_id = $1 order by id',
      [id],
    );
    expect(decisions).toEqual([
      { decision: 'rejected', reason: 'The photo is not sharp.', decided_by: 'operator:ida' },
      { decision: 'approved', reason: null, decided_by: 'operator:ida' },
    ]);
  });

  it('have one effect when they arrive together', async () => {
    const { id } = await holderIn(api, client, 'submission_failed');
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => act(id, 'retry')),
      ...Array.from({ length: 5 }, () => patch(id, { annualSalary: '5' })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await read(client, id)).submissions).toBe(2);
  });
});

it('lists B2C cardholders with their documents', async () => {
  const fresh = await api.client();
  const { id } = await pending(api, fresh);
  const { data } = (await fresh.call('GET', '/v1/cardholders?status=pending_review')).body;
  expect(data).toEqual([await read(fresh, id)]);
  expect(data[0].documents).toHaveLength(2);
});

it('requires every field that is marked B2C, in their order', async () => {
  const required = Object.keys(identity(api)).filter((field) => field !== 'firstName');
  for (const field of ['firstName', ...required]) {
    const userId = await createUser(client, identity(api, { [field]: undefined }));
    const account = await client.call('POST', `/v1/users/${userId}/accounts`, { currency: 'USD' });
    const answer = await register(client, { userId, accountId: account.body.id, documents: {} });
    expect({ field, status: answer.status, named: answer.body.field }).toEqual({
      field,
      status: 400,
      named: field,
    });
  }
});
