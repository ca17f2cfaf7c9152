import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, type TestApi, testApi } from '../../support/api';
import { testKeyring } from '../../support/keyring';
import { operatorOf, type TestOperator } from '../../support/operator';
import { jpeg, userInReview } from '../../support/uploads';

const masterKey = randomBytes(32);
let api: TestApi;
let client: Client;
let operator: TestOperator;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cardwright-documents-'));
  const documents = { kind: 'folder', folder } as const;
  api = await testApi({ keyring: testKeyring(masterKey), documents });
  client = await api.client();
  operator = await operatorOf(api, masterKey, { DOCUMENTS_FOLDER: folder });
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const META = { firstName: 'Ada', idNo: 'X-4711' };
const kycOf = async (userId: string) => (await client.call('GET', `/v1/users/${userId}/kyc`)).body;
const audited = (subject: string) =>
  api.database.query<{ action: string; after: any }>(
    'select action, after from audit_log where subject = $1 order by id',
    [subject],
  );

describe('kyc', () => {
  it('lists waiting reviews, shows them masked, and ends them with a reason', async () => {
    const userId = await userInReview(client, META);
    expect((await operator('kyc', 'list')).text).toContain(userId);
    const shown = await operator('show', userId);
    expect(shown.text).toContain(`kyc-review-${userId}-1`);
    expect(shown.text).not.toContain('X-4711');
    expect((await operator('kyc', 'request-resubmission', userId)).code).toBe(2);
    const asked = await operator('kyc', 'request-resubmission', userId, '--reason', 'blurred', '--json');
    expect(asked.json()).toMatchObject({ status: 'resubmission_required', reason: 'blurred' });
    expect((await operator('kyc', 'list')).text).not.toContain(userId);
    expect((await operator('kyc', 'approve', userId, '--reason', 'seen the original')).code).toBe(0);
    expect(await kycOf(userId)).toMatchObject({ status: 'completed' });
    const again = await operator('kyc', 'approve', userId);
    expect([again.code, again.err]).toEqual([4, 'A KYC that is completed cannot be completed.']);
    expect((await operator('kyc', 'reject', 'usr_none', '--reason', 'x')).code).toBe(3);
    expect((await audited(userId)).map(({ action }) => action)).toEqual([
      'kyc.request-resubmission',
      'kyc.approve',
    ]);
    expect((await operator('show', userId, '--json')).json().lists.decisions).toMatchObject([
      { decision: 'resubmission_required', reason: 'blurred' },
      { decision: 'completed', reason: 'seen the original' },
    ]);
  });

  it('writes a document to a new file, and audits the reader and the reason', async () => {
    const userId = await userInReview(client, META);
    const [{ id }] = (await kycOf(userId)).documents;
    const out = join(folder, 'seen.jpg');
    const refused = await operator('kyc', 'document', id, '--out', out);
    expect([refused.code, await audited(id)]).toEqual([2, []]);
    const written = await operator('kyc', 'document', id, '--out', out, '--reason', 'review');
    expect([written.code, written.text]).toEqual([0, `${id} is in ${out}.`]);
    const { slot } = (await operator('show', id, '--json')).json().record;
    expect(readFileSync(out)).toEqual(jpeg(slot));
    expect(await audited(id)).toEqual([{ action: 'kyc.download-document', after: { reason: 'review' } }]);
    const again = await operator('kyc', 'document', id, '--out', out, '--reason', 'review');
    expect([again.code, again.err]).toEqual([4, expect.stringContaining('is there already')]);
    expect((await operator('kyc', 'document', 'doc_none', '--out', out, '--reason', 'review')).code).toBe(3);
  });
});
