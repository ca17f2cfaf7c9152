/** What an insider can do who also has the address of the runtime role, but none of the installation's keys. */
import { keepChainReading } from '../../../src/chain/reconciliation/readings';
import { key } from '../../desk/support';
import { setAdminLimit } from '../../support/operator';
import { type Insider, insider } from './insider';

const THIEF = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

let ida: Insider;
/** Statements as the runtime role. */
const asRuntime = (text: string, values: readonly unknown[] = []) =>
  ida.world.api.services.database.query<{ id: string }>(text, [...values]);
const asOwner = (text: string, values: readonly unknown[] = []) =>
  ida.world.api.database.query<{ id: string }>(text, [...values]);
beforeAll(async () => {
  ida = await insider();
}, 120_000);
afterAll(() => ida.world.close());

describe('what nobody has asked for', () => {
  const COLUMNS =
    'kind, subject, tenant_id, amount, currency, terms, changes, rests_on, reason, requested_at, needs, permission';

  /** Ida asks for a credit above the limit. */
  async function asked(): Promise<string> {
    await setAdminLimit(ida.world.api.database, '1');
    const { accountId } = await ida.world.funded('1.00');
    const { status, body } = await ida.decide('account.deposit', accountId, { amount: '500.00' });
    expect(status).toBe(202);
    return body.approval.id;
  }
  const approvedByBob = (id: string) => ida.world.bob('POST', `approvals/${id}/approve`, {}, key());

  it('is not approved, although the database says that another operator has asked', async () => {
    const id = await asked();
    const forged = `${id.slice(0, -4)}0000`;
    await asRuntime(
      `insert into approvals (id, requested_by, seal, ${COLUMNS})
       select $1, 'operator:bob', seal, ${COLUMNS} from approvals where id = $2`,
      [forged, id],
    );
    const told = await ida.approve(forged);
    expect([told.status, told.body.message]).toEqual([
      409,
      expect.stringContaining('operator:bob has not asked for this through the product'),
    ]);
    const right = await approvedByBob(id);
    expect([right.status, right.text]).toEqual([200, expect.anything()]);
  });

  it.each([
    ['terms', `'{"amount":"501.00"}'::jsonb`],
    ['reason', `'another'`],
    ['amount', '5'],
    ['needs', '2'],
    ['permission', `'view'`],
    ['seal', `'short'`],
  ])('is not approved with other %s', async (column, other) => {
    const id = await asked();
    const change = `update approvals set ${column} = ${other} where id = $1`;
    await expect(asRuntime(change, [id])).rejects.toThrow('permission denied');
    await asOwner(change, [id]);
    expect((await approvedByBob(id)).status).toBe(409);
  });
});

it('the hash of a secret that the thief knows opens no other tenant', async () => {
  const { api } = ida.world;
  const [own, other] = [await api.client(), await api.client()];
  await asRuntime(
    `update credentials set expires_at = now() + interval '1 day' where tenant_id = $1 and expires_at is null`,
    [other.clientId],
  );
  await asRuntime(
    `insert into credentials (tenant_id, secret_hash, secret_sealed)
     select $1, secret_hash, secret_sealed from credentials where tenant_id = $2`,
    [other.clientId, own.clientId],
  );
  const headers = { 'x-client-id': other.clientId, 'x-client-secret': own.clientSecret };
  expect((await api.call('GET', '/v1/networks', undefined, headers)).status).toBe(401);
});

describe('a wallet that was not derived', () => {
  const FORGED = 'wal_00000000000000000000000001';
  const breaks = () =>
    asOwner(`select subject as id from breaks where kind = 'wallet_not_derived' and resolved_at is null`);
  /** @param attestation of the row */
  const forge = (attestation: string) =>
    asRuntime(
      `insert into wallets (id, chain, kind, address, derivation_index, purpose, attestation, status, created_at, updated_at)
       values ($1, 'local', 'evm', $2, 900000, 'pool', ${attestation}, 'available', now(), now())`,
      [FORGED, THIEF],
    );

  it.each([
    ['without an attestation', 'null'],
    ['with that of another', '(select attestation from wallets order by id limit 1)'],
  ])('is refused to a payer with a break, and shown to nobody: %s', async (_, attestation) => {
    const { api, ida: desk, chain } = ida.world;
    const { accountId } = await ida.world.funded('1.00');
    const allocate = (reference: string) =>
      ida.admin.call('POST', '/v1/wallets/allocate', { chain: 'local', asset: 'USDT', accountId, reference });
    expect((await allocate(`right ${attestation}`)).status).toBe(201);
    await forge(attestation);
    const told = await allocate('forged');
    expect([told.status, told.text]).toEqual([503, expect.not.stringContaining(THIEF)]);
    expect(await breaks()).toEqual([{ id: FORGED }]);

    const pages = [await desk('GET', 'lists/wallets'), await desk('GET', `records/${FORGED}`)];
    const listed = await ida.admin.call('GET', '/v1/gas-station/wallets');
    for (const page of [...pages, listed])
      expect([page.status, page.text]).toEqual([200, expect.not.stringContaining(THIEF)]);
    expect(pages[0]?.text).toContain('not derived from our seed');

    await asOwner('delete from breaks');
    const reconciled = await desk('GET', 'lists/chain-reconcile');
    expect(reconciled.text).toContain('1 wallets are not derived from our seed');
    await keepChainReading(api.services, chain.network.chain);
    expect(await breaks()).toEqual([{ id: FORGED }]);
    await asOwner('delete from wallets where id = $1', [FORGED]);
    await asOwner('delete from breaks');
  });
});
