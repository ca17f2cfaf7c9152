import { requireCapacity } from '../../../src/cards/issuance/capacity';
import { DEMO_BINS } from '../../../src/cards/programmes/demo';
import {
  addBin,
  admitToBin,
  type Bin,
  ensureDemoBins,
  findProgrammes,
  listBins,
  requireIssuableBin,
} from '../../../src/cards/programmes/operations';
import { newId } from '../../../src/kernel/ids';
import { Decimal } from '../../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../../support/api';

let api: TestApi;
let client: Client;
let other: Client;
let admin: Client;
beforeAll(async () => {
  api = await testApi();
  [client, other, admin] = await Promise.all([api.client(), api.client(), api.client('admin')]);
});
afterAll(() => api.close());

const B2B_USD = '44112200';
const transaction: TestApi['database']['transaction'] = (work) => api.database.transaction(work);
const newBin = (bin: string, change: Partial<Bin> = {}): Bin => ({
  ...(DEMO_BINS[0] as Bin),
  demo: false,
  bin,
  ...change,
});

async function cardholder(by: Client): Promise<{ id: string; userId: string; accountId: string }> {
  const email = `${newId('event')}@example.com`;
  const meta = { firstName: 'Ada', lastName: 'Lovelace', email };
  const user = (await by.call('POST', '/v1/users', { meta })).body;
  const account = (await by.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'USD' })).body;
  const created = await by.call('POST', `/v1/users/${user.id}/cardholder`, {
    accountId: account.id,
    bin: B2B_USD,
  });
  expect(created.status).toBe(201);
  return { id: created.body.id, userId: user.id, accountId: account.id };
}

async function insertCard(holder: Awaited<ReturnType<typeof cardholder>>, status: string): Promise<void> {
  await api.database.query(
    `insert into cards (id, tenant_id, user_id, account_id, master_account_id, cardholder_id, bin, scheme, currency, status)
     values ($1, $2, $3, $4, $4, $5, $6, 'visa', 'USD', $7)`,
    [newId('card'), client.clientId, holder.userId, holder.accountId, holder.id, B2B_USD, status],
  );
}

describe('GET /v1/bins', () => {
  it('lists the demo BINs on one page, and marks the endpoint as deprecated', async () => {
    const { status, headers, body } = await client.call('GET', '/v1/bins');
    expect(status).toBe(200);
    expect(headers.get('deprecation')).toBe('@1767225600'); // RFC 9745: a structured date
    expect(body).toMatchObject({ hasMore: false, nextCursor: null });
    expect(
      body.data.map((one: Record<string, string>) => [one['bin'], one['providerCardHolderModel']]),
    ).toEqual([
      ['44112200', 'B2B'],
      ['44112201', 'B2C'],
      ['53112202', 'B2B'],
    ]);
    expect(body.data[2]).toEqual({
      bin: '53112202',
      scheme: 'mastercard',
      currency: 'EUR',
      providerCardHolderModel: 'B2B',
      capacityPerCardholder: 10,
      status: 'active',
      fees: {
        issue: '1.00',
        topUp: '0.25',
        settleFixed: '0.10',
        settlePercent: '0.5',
        decline: '0.20',
        markupPercent: '2',
      },
    });
  });

  it('lists only the BINs that a tenant is admitted to', async () => {
    const bin = newBin('41000001');
    await transaction((tx) => addBin(tx, bin));
    await transaction((tx) => admitToBin(tx, other.clientId, bin.bin));
    const codes = async (by: Client) =>
      (await by.call('GET', '/v1/bins')).body.data.map((one: { bin: string }) => one.bin);
    expect(await codes(other)).toContain(bin.bin);
    expect(await codes(client)).not.toContain(bin.bin);
    expect(await codes(admin)).toContain(bin.bin);
    expect((await client.call('GET', `/v1/bins/${bin.bin}/capacity`)).status).toBe(404);
    expect((await client.call('GET', `/v1/bins/${bin.bin}/cardholder-registration`)).status).toBe(404);
  });
});

describe('GET /v1/bins/{bin}/capacity', () => {
  it('counts the cards of a cardholder that are neither closed nor failed', async () => {
    const path = `/v1/bins/${B2B_USD}/capacity`;
    expect((await client.call('GET', path)).body).toEqual({
      bin: B2B_USD,
      limit: 10,
      used: 0,
      remaining: 10,
    });
    const holder = await cardholder(client);
    for (const status of ['pending', 'active', 'frozen', 'closing', 'closed', 'failed'])
      await insertCard(holder, status);
    const { body, headers } = await client.call('GET', `${path}?cardholderId=${holder.id}`);
    expect(body).toEqual({ bin: B2B_USD, cardholderId: holder.id, limit: 10, used: 4, remaining: 6 });
    expect(headers.get('deprecation')).toBeTruthy();
  });

  it('accepts only the tenant’s cardholders on that BIN', async () => {
    const [own, foreign] = await Promise.all([cardholder(client), cardholder(other)]);
    for (const id of [foreign.id, 'nonsense', newId('cardholder')]) {
      const answer = await client.call('GET', `/v1/bins/${B2B_USD}/capacity?cardholderId=${id}`);
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', field: 'cardholderId' } });
    }
    const wrong = await client.call('GET', `/v1/bins/44112201/capacity?cardholderId=${own.id}`);
    expect(wrong).toMatchObject({ status: 400, body: { field: 'cardholderId' } });
    for (const bin of ['99999999', 'nonsense', '%00'])
      expect((await client.call('GET', `/v1/bins/${bin}/capacity`)).status).toBe(404);
    expect((await client.call('POST', `/v1/bins/${B2B_USD}/capacity`, {})).status).toBe(405);
  });

  it('bounds concurrent issuances', async () => {
    const holder = await cardholder(client);
    const bin = (await listBins(api.database)).find((one) => one.bin === B2B_USD) as Bin;
    const limited = { ...bin, capacityPerCardholder: 3 };
    const issue = () =>
      transaction(async (tx) => {
        await requireCapacity(tx, limited, holder.id);
        await tx.query(
          `insert into cards (id, tenant_id, user_id, account_id, master_account_id, cardholder_id, bin, scheme, currency,
             status) values ($1, $2, $3, $4, $4, $5, $6, 'visa', 'USD', 'pending')`,
          [newId('card'), client.clientId, holder.userId, holder.accountId, holder.id, B2B_USD],
        );
      });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, issue));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: 409, code: 'limit_exceeded' },
    });
  });
});

describe('GET /v1/bins/{bin}/cardholder-registration', () => {
  it('is open while the BIN is active', async () => {
    const bin = newBin('41000002');
    await transaction((tx) => addBin(tx, bin));
    await transaction((tx) => admitToBin(tx, client.clientId, bin.bin));
    const read = async () => (await client.call('GET', `/v1/bins/${bin.bin}/cardholder-registration`)).body;
    expect(await read()).toEqual({ bin: bin.bin, open: true });
    await api.database.query(`update bins set status = 'closed' where bin = $1`, [bin.bin]);
    expect(await read()).toEqual({ bin: bin.bin, open: false, reason: expect.any(String) });
  });
});

describe('operations for other domains', () => {
  it('require an issuable BIN', async () => {
    const { userId } = await cardholder(client);
    const issuable = (bin: string, by = client) => requireIssuableBin(api.database, by.clientId, userId, bin);
    expect((await issuable(B2B_USD)).fees.issue.toFixed(2)).toBe('1.00');
    await expect(issuable('99999999')).rejects.toMatchObject({ status: 404, field: 'bin' });
    await client.call('POST', `/v1/users/${userId}/bins`, { bin: B2B_USD, enabled: false });
    await expect(issuable(B2B_USD)).rejects.toMatchObject({ status: 409, code: 'bin_closed' });
    const admitted = newBin('41000003', { status: 'closed' });
    await transaction((tx) => addBin(tx, admitted));
    await expect(issuable(admitted.bin)).rejects.toMatchObject({ status: 404 });
    await transaction((tx) => admitToBin(tx, client.clientId, admitted.bin));
    await expect(issuable(admitted.bin)).rejects.toMatchObject({ status: 409, code: 'bin_closed' });
  });

  it('find programmes by BIN', async () => {
    const found = await findProgrammes(api.database, [B2B_USD, B2B_USD, '00000000']);
    expect([...found.keys()]).toEqual([B2B_USD]);
    expect(found.get(B2B_USD)).toMatchObject({
      currency: 'USD',
      authorizationDays: 7,
      maxAuthorization: null,
      blockedMccs: ['7995'],
    });
    expect(found.get(B2B_USD)?.fees.settlePercent.toFixed()).toBe('0.5');
  });

  it('keep an operator’s change of a demo BIN', async () => {
    await api.database.query(`update bins set capacity_per_cardholder = 9 where bin = '53112202'`);
    await transaction(ensureDemoBins);
    const bins = await listBins(api.database);
    expect(bins.find(({ bin }) => bin === '53112202')?.capacityPerCardholder).toBe(9);
    expect(bins.filter(({ demo }) => demo)).toHaveLength(3);
  });

  it('refuse an invalid BIN', async () => {
    const add = (bin: Bin) => transaction((tx) => addBin(tx, bin));
    const fees = (DEMO_BINS[0] as Bin).fees;
    await expect(add(newBin(B2B_USD))).rejects.toMatchObject({ code: 'ErrAlreadyExists', field: 'bin' });
    await expect(add(newBin('12345'))).rejects.toMatchObject({ status: 400, field: 'bin' });
    await expect(add(newBin('41000004', { currency: 'XXX' }))).rejects.toMatchObject({ field: 'currency' });
    await expect(add(newBin('41000004', { capacityPerCardholder: 0 }))).rejects.toMatchObject({
      field: 'capacityPerCardholder',
    });
    for (const text of ['-1', '0.001']) {
      const bin = newBin('41000004', { fees: { ...fees, issue: new Decimal(text) } });
      await expect(add(bin)).rejects.toMatchObject({ field: 'issue' });
    }
    expect((await listBins(api.database)).map(({ bin }) => bin)).not.toContain('41000004');
    await expect(transaction((tx) => admitToBin(tx, client.clientId, '41000004'))).rejects.toMatchObject({
      status: 404,
    });
  });
});
