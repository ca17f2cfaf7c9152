/** @long */
import type { Client } from '../../support/api';
import { createUser, jpeg, pdf, png, uploadAll, uploadDocument, userInReview } from '../../support/uploads';
import { decide, eventsOf, type KycApi, kycApi, kycStatus } from './support';

let api: KycApi;
let client: Client;
let admin: Client;
beforeAll(async () => {
  api = await kycApi();
  client = await api.client();
  admin = await api.client('admin');
});
afterAll(() => api.close());

const failure = ({ status, body }: { status: number; body: any }) => [status, body.code];
const submit = (userId: string, by = client, headers = {}) =>
  by.call('POST', `/v1/users/${userId}/kyc/submit`, undefined, headers);
const documentPath = (userId: string, docId: string) => `/v1/users/${userId}/kyc/documents/${docId}`;
const judge = (userId: string, docId: string, status: string, note?: string) =>
  admin.call('PATCH', `${documentPath(userId, docId)}/status`, note ? { status, note } : { status });
const unknownUser = 'usr_01h455vb4pex5vsknk084sn02q';
const unknownDocument = 'doc_01h455vb4pex5vsknk084sn02q';

it('goes from not_started to completed, and sends one event per step', async () => {
  const userId = await createUser(client, { idType: 'DLN' });
  const read = () => client.call('GET', `/v1/users/${userId}/kyc`);
  expect((await read()).body).toEqual({ userId, status: 'not_started', documents: [], submissions: 0 });
  const ids = await uploadAll(client, userId);
  const uploaded = (await read()).body;
  expect(uploaded.status).toBe('documents_uploaded');
  expect(uploaded.documents.map(({ id }: { id: string }) => id)).toEqual([...ids].reverse());
  const submitted = await submit(userId, client, { 'x-idempotency-key': 'submit-1' });
  expect([submitted.status, submitted.body.status, submitted.body.submissions]).toEqual([
    200,
    'in_review',
    1,
  ]);
  const decided = await decide(admin, userId, 'completed');
  expect([decided.status, decided.body.status]).toEqual([200, 'completed']);
  expect((await client.call('GET', `/v1/users/${userId}`)).body.kycStatus).toBe('completed');
  const events = await eventsOf(api, userId);
  expect(events.map(({ previousStatus, status, key }) => [previousStatus, status, key])).toEqual([
    ['not_started', 'documents_uploaded', null],
    ['documents_uploaded', 'in_review', 'submit-1'],
    ['in_review', 'completed', 'submit-1'],
  ]);
  expect(Object.keys(events[0] ?? {}).sort()).toEqual(
    ['id', 'key', 'previousStatus', 'status', 'timestamp', 'userId'].sort(),
  );
  expect(new Set(events.map(({ id }) => id)).size).toBe(3);
  expect(api.commands.filter(({ args }) => args[0] === userId)).toMatchObject([
    { workflow: 'kycReview', action: 'start', workflowId: `kyc-review-${userId}-1`, args: [userId, 1] },
    { workflow: 'kycReview', action: 'look', workflowId: `kyc-review-${userId}-1`, args: [userId, 1] },
  ]);
});

describe('submitting', () => {
  it.each([
    [{}, ['idFrontImg', 'idHoldImg'], 412],
    [{ idType: 'DLN' }, ['idFrontImg', 'idHoldImg'], 412],
    [{ idType: 'DLN' }, ['idFrontImg', 'idBackImg'], 412],
    [{ idType: 'DLN' }, ['idFrontImg', 'idBackImg', 'idHoldImg'], 200],
    [{ idType: 'PASSPORT' }, ['idFrontImg', 'idHoldImg'], 200],
    [{ idType: 'passport' }, ['idFrontImg', 'idHoldImg'], 200],
    [{ idType: 'PASSPORT' }, ['idHoldImg'], 412],
    [{ idType: 'PASSPORT' }, ['idFrontImg'], 412],
    [{ idType: ['PASSPORT'] }, ['idFrontImg', 'idHoldImg'], 412],
    [{ idType: 'PASSPORT' }, [], 412],
  ])('with %j and %j: %i', async (meta, slots, status) => {
    const userId = await createUser(client, meta);
    await uploadAll(client, userId, slots);
    const answer = await submit(userId);
    expect(answer.status).toBe(status);
    if (status !== 412) return;
    expect(answer.body.code).toBe('documents_missing');
    expect(await kycStatus(client, userId)).toBe(slots.length > 0 ? 'documents_uploaded' : 'not_started');
  });

  it('ignores rejected documents, and takes the newest of the others', async () => {
    const userId = await createUser(client, { idType: 'PASSPORT' });
    const [front = ''] = await uploadAll(client, userId, ['idFrontImg', 'idHoldImg']);
    expect((await judge(userId, front, 'rejected', 'blurred')).body).toMatchObject({
      status: 'rejected',
      note: 'blurred',
    });
    expect(failure(await submit(userId))).toEqual([412, 'documents_missing']);
    await uploadAll(client, userId, ['idFrontImg']);
    expect((await submit(userId)).status).toBe(200);
    const { data } = (await client.call('GET', `/v1/users/${userId}/kyc/documents?status=rejected`)).body;
    expect(data.map(({ id, note }: { id: string; note: string }) => [id, note])).toEqual([
      [front, 'blurred'],
    ]);
  });

  it('happens once when twenty requests arrive together', async () => {
    const userId = await createUser(client);
    await uploadAll(client, userId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit(userId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'invalid_transition')).toHaveLength(19);
    expect((await eventsOf(api, userId)).filter(({ status }) => status === 'in_review')).toHaveLength(1);
  });

  it('stores its answer under the key', async () => {
    const userId = await createUser(client);
    await uploadAll(client, userId);
    const key = { 'x-idempotency-key': 'again' };
    const [first, again] = [await submit(userId, client, key), await submit(userId, client, key)];
    expect(again.text).toBe(first.text);
    expect(again.headers.get('x-idempotent-replayed')).toBe('true');
  });

  it('accepts no body fields, and answers 404 for an unknown user', async () => {
    const userId = await createUser(client);
    expect((await client.call('POST', `/v1/users/${userId}/kyc/submit`, { force: true })).body.field).toBe(
      'force',
    );
    expect(failure(await submit(unknownUser))).toEqual([404, 'not_found']);
  });

  it('ignores Prefer while an operator decides, because nobody knows how long that takes', async () => {
    const userId = await createUser(client);
    await uploadAll(client, userId);
    const { status, body, headers } = await submit(userId, client, { prefer: 'wait=30' });
    expect([status, body.status]).toEqual([200, 'in_review']);
    expect(headers.get('preference-applied')).toBe('wait=30');
  });

  it('waits with Prefer when the sandbox decides', async () => {
    const own = await api.client();
    await api.database.query(
      `update tenants set settings = settings || '{"kycReview":"auto"}'::jsonb where id = $1`,
      [own.clientId],
    );
    const userId = await createUser(own);
    await uploadAll(own, userId);
    const waiting = submit(userId, own, { prefer: 'wait=20' });
    while ((await kycStatus(own, userId)) !== 'in_review')
      await new Promise((resolve) => setTimeout(resolve, 10));
    await decide(admin, userId, 'rejected', 'Not the same person.');
    const { status, body } = await waiting;
    expect([status, body.status, body.reason]).toEqual([200, 'rejected', 'Not the same person.']);
  });
});

describe('deciding', () => {
  const STATUSES = ['completed', 'rejected', 'resubmission_required'];

  it.each(STATUSES)(
    'sets %s with a reason that the client reads, as a row and in the audit log',
    async (status) => {
      const userId = await userInReview(client);
      const { body } = await decide(admin, userId, status, 'Because.');
      expect(body).toMatchObject({ status, reason: 'Because.', decidedAt: expect.any(String) });
      expect((await client.call('GET', `/v1/users/${userId}/kyc`)).body).toMatchObject({
        status,
        reason: 'Because.',
      });
      expect((await eventsOf(api, userId)).at(-1)).toMatchObject({ status, reason: 'Because.' });
      const rows = await api.database.query(
        'select submission, document_id, decision, reason, decided_by from kyc_decisions where user_id = $1',
        [userId],
      );
      const expected = { submission: 1, document_id: null, decision: status, reason: 'Because.' };
      expect(rows).toEqual([{ ...expected, decided_by: admin.clientId }]);
      const audited = await api.database.query(
        `select actor, before, after, tenant_id from audit_log where subject = $1 and action = 'kyc.status'`,
        [userId],
      );
      expect(audited).toEqual([
        {
          actor: admin.clientId,
          before: { status: 'in_review' },
          after: { status },
          tenant_id: client.clientId,
        },
      ]);
    },
  );

  it('is possible from each status exactly as the table says', async () => {
    const states: Record<string, () => Promise<string>> = {
      not_started: () => createUser(client),
      documents_uploaded: async () => {
        const userId = await createUser(client);
        await uploadAll(client, userId);
        return userId;
      },
      in_review: () => userInReview(client),
    };
    for (const status of STATUSES)
      states[status] = async () => {
        const userId = await userInReview(client);
        await decide(admin, userId, status);
        return userId;
      };
    const allowed: Record<string, string[]> = {
      not_started: [],
      documents_uploaded: ['submit'],
      in_review: STATUSES,
      completed: ['rejected', 'resubmission_required'],
      rejected: ['completed', 'resubmission_required'],
      resubmission_required: ['submit', 'completed', 'rejected'],
    };
    for (const [state, make] of Object.entries(states)) {
      for (const action of ['submit', ...STATUSES]) {
        const userId = await make();
        const { status, body } =
          action === 'submit' ? await submit(userId) : await decide(admin, userId, action);
        const expected = action === 'submit' ? 'in_review' : action;
        if (allowed[state]?.includes(action))
          expect([state, action, status, body.status]).toEqual([state, action, 200, expected]);
        else {
          const code =
            state === 'not_started' && action === 'submit' ? 'documents_missing' : 'invalid_transition';
          expect([state, action, body.code]).toEqual([state, action, code]);
          expect(await kycStatus(client, userId)).toBe(state);
        }
      }
    }
  });

  it('is done once when twenty requests arrive together', async () => {
    const userId = await userInReview(client);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => decide(admin, userId, STATUSES[index % 2] ?? '')),
    );
    const events = (await eventsOf(api, userId)).slice(2);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(events.length);
    events.forEach((event, index) => {
      if (index > 0) expect(event.previousStatus).toBe(events[index - 1]?.status);
    });
    expect(await kycStatus(client, userId)).toBe(events.at(-1)?.status);
  });

  it('opens a second review with a reason of its own after a resubmission', async () => {
    const userId = await userInReview(client);
    await decide(admin, userId, 'resubmission_required', 'Too dark.');
    await uploadAll(client, userId, ['idFrontImg']);
    expect(await kycStatus(client, userId)).toBe('resubmission_required');
    const again = await submit(userId);
    expect(again.body).toMatchObject({ status: 'in_review', submissions: 2 });
    expect(again.body.reason).toBeUndefined();
    expect(api.commands.at(-1)).toMatchObject({ workflowId: `kyc-review-${userId}-2`, action: 'start' });
    await decide(admin, userId, 'completed');
    expect(await kycStatus(client, userId)).toBe('completed');
  });

  it.each([
    ['no status', {}, 'status'],
    ['a status that no decision is', { status: 'in_review' }, 'status'],
    ['a status that is none', { status: 'approved' }, 'status'],
    ['another field', { status: 'completed', by: 'me' }, 'by'],
    ['a reason of 501 characters', { status: 'rejected', reason: 'x'.repeat(501) }, 'reason'],
    ['a reason with a line break', { status: 'rejected', reason: 'a\nb' }, 'reason'],
  ])('refuses %s: 400', async (_name, body, field) => {
    const answer = await admin.call('PATCH', `/v1/users/${unknownUser}/kyc/status`, body);
    expect([answer.status, answer.body.field]).toEqual([400, field]);
  });

  it('accepts a reason of 500 characters', async () => {
    const userId = await userInReview(client);
    expect((await decide(admin, userId, 'rejected', 'x'.repeat(500))).status).toBe(200);
  });
});

describe('documents', () => {
  it('are listed in pages, by slot and by status', async () => {
    const userId = await createUser(client);
    const ids = await uploadAll(client, userId);
    const list = (query = '') => client.call('GET', `/v1/users/${userId}/kyc/documents${query}`);
    const shown = ({ body }: { body: any }) => body.data.map(({ id }: { id: string }) => id);
    expect(shown(await list())).toEqual([...ids].reverse());
    const first = await list('?limit=2');
    expect([shown(first), first.body.hasMore]).toEqual([[ids[2], ids[1]], true]);
    const second = await list(`?limit=2&cursor=${first.body.nextCursor}`);
    expect([shown(second), second.body.hasMore, second.body.nextCursor]).toEqual([[ids[0]], false, null]);
    expect(shown(await list('?slot=idBackImg'))).toEqual([ids[1]]);
    expect(shown(await list('?status=approved'))).toEqual([]);
    for (const bad of ['?limit=0', '?limit=101', '?cursor=x', '?slot=x', '?status=x'])
      expect((await list(bad)).status).toBe(400);
  });

  it.each([
    ['image/jpeg', jpeg('content'), 'jpg'],
    ['image/png', png('content'), 'png'],
    ['application/pdf', pdf('<script>alert(1)</script>'), 'pdf'],
  ])(
    'of %s are returned byte for byte, as an attachment that browsers do not sniff',
    async (type, bytes, extension) => {
      const userId = await createUser(client);
      const { id } = (await uploadDocument(client, userId, 'idFrontImg', bytes)).body;
      const headers = { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret };
      const url = `${api.url}${documentPath(userId, id)}/content`;
      const response = await fetch(url, { headers });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
      expect(response.headers.get('content-type')).toBe(type);
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${id}.${extension}"`);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
      const head = await fetch(url, { method: 'HEAD', headers });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    },
  );

  it('are shown to an operator, which is recorded in the audit log', async () => {
    const userId = await createUser(client);
    const { id } = (await uploadDocument(client, userId, 'idFrontImg')).body;
    const audits = () =>
      api.database.query(
        `select actor from audit_log where subject = $1 and action = 'kyc.download-document'`,
        [id],
      );
    await client.call('GET', `${documentPath(userId, id)}/content`);
    expect(await audits()).toEqual([]);
    expect((await admin.call('GET', `${documentPath(userId, id)}/content`)).status).toBe(200);
    expect(await audits()).toEqual([{ actor: admin.clientId }]);
  });

  it('are judged, and judged again, with a row for each decision', async () => {
    const userId = await userInReview(client);
    const { data } = (await client.call('GET', `/v1/users/${userId}/kyc/documents`)).body;
    const { id } = data[0];
    expect((await judge(userId, id, 'approved')).body).toMatchObject({ id, status: 'approved' });
    expect(failure(await judge(userId, id, 'approved'))).toEqual([409, 'invalid_transition']);
    expect((await judge(userId, id, 'rejected', 'On a second look.')).body.note).toBe('On a second look.');
    expect(failure(await judge(userId, id, 'rejected'))).toEqual([409, 'invalid_transition']);
    const again = await judge(userId, id, 'approved');
    expect(again.body.status).toBe('approved');
    expect(again.body.note).toBeUndefined();
    expect((await client.call('GET', documentPath(userId, id))).body).toEqual(again.body);
    const rows = await api.database.query(
      'select decision, reason, decided_by from kyc_decisions where document_id = $1 order by id',
      [id],
    );
    expect(rows).toEqual([
      { decision: 'approved', reason: null, decided_by: admin.clientId },
      { decision: 'rejected', reason: 'On a second look.', decided_by: admin.clientId },
      { decision: 'approved', reason: null, decided_by: admin.clientId },
    ]);
    expect(await kycStatus(client, userId)).toBe('in_review');
    for (const [body, field] of [
      [{ status: 'uploaded' }, 'status'],
      [{}, 'status'],
      [{ status: 'approved', note: 'x'.repeat(501) }, 'note'],
    ] as const) {
      const answer = await admin.call('PATCH', `${documentPath(userId, id)}/status`, body);
      expect([answer.status, answer.body.field]).toEqual([400, field]);
    }
  });
});

describe('deleting', () => {
  const remove = (userId: string, docId: string, by = client) =>
    by.call('DELETE', documentPath(userId, docId));

  it('removes the document and its content; deleting the last one begins the KYC again', async () => {
    const userId = await createUser(client);
    const [front = '', back = ''] = await uploadAll(client, userId, ['idFrontImg', 'idBackImg']);
    const gone = await remove(userId, front);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect(failure(await remove(userId, front))).toEqual([404, 'not_found']);
    expect(failure(await client.call('GET', documentPath(userId, front)))).toEqual([404, 'not_found']);
    expect(failure(await client.call('GET', `${documentPath(userId, front)}/content`))).toEqual([
      404,
      'not_found',
    ]);
    expect(await kycStatus(client, userId)).toBe('documents_uploaded');
    expect((await remove(userId, back)).status).toBe(204);
    expect(await kycStatus(client, userId)).toBe('not_started');
    expect((await eventsOf(api, userId)).map(({ status }) => status)).toEqual([
      'documents_uploaded',
      'not_started',
    ]);
  });

  it('is refused with 409 for a document that was submitted or judged, or is under review', async () => {
    const refused = async (userId: string, docId: string) => {
      expect(failure(await remove(userId, docId))).toEqual([409, 'invalid_transition']);
      expect((await client.call('GET', `${documentPath(userId, docId)}/content`)).status).toBe(200);
    };
    const userId = await createUser(client);
    const [front = '', back = ''] = await uploadAll(client, userId);
    await judge(userId, back, 'rejected');
    await refused(userId, back);
    const [newBack = ''] = await uploadAll(client, userId, ['idBackImg']);
    await submit(userId);
    for (const id of [front, newBack]) await refused(userId, id);
    const { id: later } = (await uploadDocument(client, userId, 'idFrontImg', jpeg('later'))).body;
    await refused(userId, later);
    await decide(admin, userId, 'resubmission_required');
    await refused(userId, front);
    expect((await remove(userId, later)).status).toBe(204); // no review has this document
    expect(await kycStatus(client, userId)).toBe('resubmission_required');
    await submit(userId);
    await decide(admin, userId, 'completed');
    const { id: last } = (await uploadDocument(client, userId, 'idFrontImg', jpeg('last'))).body;
    await refused(userId, last);
  });
});

describe('notes', () => {
  const write = (userId: string, notes: unknown, by = admin) =>
    by.call('PATCH', `/v1/users/${userId}/kyc/notes`, { notes });

  it('are shown to operators only', async () => {
    const userId = await userInReview(client);
    const secret = 'Looks like his brother.\nAsk again on Monday.';
    expect((await write(userId, secret)).body.notes).toBe(secret);
    expect((await admin.call('GET', `/v1/users/${userId}/kyc`)).body.notes).toBe(secret);
    await decide(admin, userId, 'completed');
    for (const path of [
      `/v1/users/${userId}`,
      `/v1/users/${userId}/kyc`,
      `/v1/users/${userId}/kyc/documents`,
    ])
      expect((await client.call('GET', path)).text).not.toContain('brother');
    expect(JSON.stringify(await eventsOf(api, userId))).not.toContain('brother');
    const log = await api.database.query('select * from audit_log where subject = $1', [userId]);
    expect(JSON.stringify(log)).not.toContain('brother');
    expect((await write(userId, '')).body.notes).toBe('');
  });

  it.each([
    ['5,001 characters', 'x'.repeat(5_001)],
    ['NUL', 'a\0b'],
    ['a number', 1],
  ])('refuse %s: 400', async (_name, notes) => {
    const answer = await write(unknownUser, notes);
    expect([answer.status, answer.body.field]).toEqual([400, 'notes']);
  });

  it('accept 5,000 characters, and answer 404 for an unknown user', async () => {
    expect((await write(await createUser(client), 'x'.repeat(5_000))).status).toBe(200);
    expect((await write(unknownUser, 'x')).status).toBe(404);
  });
});

it('neither shows a user to another tenant nor lets it change them', async () => {
  const stranger = await api.client();
  const userId = await userInReview(client);
  const { id } = (await client.call('GET', `/v1/users/${userId}/kyc/documents`)).body.data[0];
  const paths: [string, string, unknown?][] = [
    ['GET', `/v1/users/${userId}/kyc`],
    ['GET', `/v1/users/${userId}/kyc/documents`],
    ['GET', documentPath(userId, id)],
    ['GET', `${documentPath(userId, id)}/content`],
    ['DELETE', documentPath(userId, id)],
    ['POST', `/v1/users/${userId}/kyc/submit`],
  ];
  for (const [method, path] of paths) {
    expect(failure(await stranger.call(method, path))).toEqual([404, 'not_found']);
    expect((await api.call(method, path)).status).toBe(401);
  }
  expect(failure(await uploadDocument(stranger, userId, 'idFrontImg'))).toEqual([404, 'not_found']);
  // The other tenant's document under one's own user is unknown as well.
  const own = await createUser(stranger);
  expect((await stranger.call('GET', `${documentPath(own, id)}/content`)).status).toBe(404);
  for (const bad of [unknownDocument, 'nonsense', userId])
    expect((await client.call('GET', documentPath(userId, bad))).status).toBe(404);
});

it('refuses a client’s decision with 403 before any other check', async () => {
  for (const path of [
    `/v1/users/${unknownUser}/kyc/status`,
    `/v1/users/${unknownUser}/kyc/notes`,
    `${documentPath(unknownUser, unknownDocument)}/status`,
  ])
    expect(failure(await client.call('PATCH', path, 'not even JSON'))).toEqual([403, 'forbidden']);
  for (const [path, body] of [
    [`/v1/users/${unknownUser}/kyc/status`, { status: 'completed' }],
    [`${documentPath(unknownUser, unknownDocument)}/status`, { status: 'approved' }],
  ] as const)
    expect(failure(await admin.call('PATCH', path, body))).toEqual([404, 'not_found']);
});

it('lets an operator act for a client, who owns the document', async () => {
  const userId = await createUser(client);
  const { status, body } = await uploadDocument(admin, userId, 'idFrontImg');
  expect(status).toBe(201);
  expect((await client.call('GET', `${documentPath(userId, body.id)}/content`)).status).toBe(200);
  expect(await api.stored()).toContain(`${client.clientId}/${body.id}`);
  const audits = await api.database.query('select action, tenant_id from audit_log where subject = $1', [
    body.id,
  ]);
  expect(audits).toEqual([{ action: 'kyc.upload-document', tenant_id: client.clientId }]);
});
