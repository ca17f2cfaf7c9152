import { checkLedger } from '../../../src/kernel/ledger/check';
import { takeMonthlyFees } from '../../../src/transfers/iban/fees/operations';
import type { FeePlace } from '../../../src/transfers/iban/fees/store';
import { type Client, type TestApi, testApi } from '../../support/api';
import { breaksOf, foldOf } from '../external-cards/support';
import { credited, disabled, enabled, ibanBalance } from './support';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const day = (text: string) => new Date(`${text}T12:00:00.000Z`);

/** The product with its clock at that time. */
const productAt = (at: Date) => ({ ...api.services, now: () => at });

/** Runs the schedule's work at that time. */
async function run(at: Date): Promise<void> {
  for (let after: FeePlace | null = null; ; ) {
    ({ after } = await takeMonthlyFees(productAt(at), after));
    if (after === null) return;
  }
}

const feesOf = async (ibanId: string) =>
  (
    await api.database.query<{ month: string; status: string }>(
      `select to_char(month, 'YYYY-MM') as month, status from virtual_iban_fees where virtual_iban_id = $1 order by month`,
      [ibanId],
    )
  ).map(({ month, status }) => `${month} ${status}`);

it('a fee is due when its month has ended, and taken once by parallel runs', async () => {
  const { id } = await enabled(api, client, day('2026-01-15'));
  await credited(api, id, '100.00');
  await run(new Date('2026-01-31T23:59:59.999Z'));
  expect(await feesOf(id)).toEqual([]);
  const midnight = new Date('2026-02-01T00:00:00.000Z');
  await Promise.all([run(midnight), run(midnight), run(midnight)]);
  expect(await feesOf(id)).toEqual(['2026-01 paid']);
  expect(await ibanBalance(client)).toBe('90.00 0.00');
});

it('fees of missed months are taken later', async () => {
  const { id } = await enabled(api, client, day('2026-01-15'));
  await credited(api, id, '100.00');
  await run(day('2026-05-02'));
  expect(await feesOf(id)).toEqual(['2026-01 paid', '2026-02 paid', '2026-03 paid', '2026-04 paid']);
  expect(await ibanBalance(client)).toBe('60.00 0.00');
  expect(await foldOf(api, id)).toBe('60.00');
});

it('an uncovered fee opens a break, and is taken once there is money', async () => {
  const { id } = await enabled(api, client, day('2026-01-15'));
  await credited(api, id, '15.00');
  await run(day('2026-03-02'));
  await run(day('2026-03-03'));
  expect(await feesOf(id)).toEqual(['2026-01 paid', '2026-02 unpaid']);
  expect(await breaksOf(api, id)).toEqual(['iban_fee_unpaid 10']);
  await credited(api, id, '5.00');
  await run(day('2026-03-04'));
  expect(await feesOf(id)).toEqual(['2026-01 paid', '2026-02 paid']);
  expect(await ibanBalance(client)).toBe('0.00 0.00');
  const [shown] = await api.database.query('select resolved_by from breaks where subject = $1', [id]);
  expect(shown).toEqual({ resolved_by: 'iban-monthly-fees' });
});

it('a month in which the IBAN was disabled throughout has no fee', async () => {
  const { id } = await enabled(api, client, day('2026-01-15'));
  await credited(api, id, '100.00');
  await disabled(api, client, day('2026-02-10'));
  await enabled(api, client, day('2026-05-20'));
  await run(day('2026-06-02'));
  expect(await feesOf(id)).toEqual(['2026-01 paid', '2026-02 paid', '2026-05 paid']);
});

it('a fee has the company’s price at its due time, which may be zero', async () => {
  const { id } = await enabled(api, client, day('2026-01-15'));
  await api.database.query(
    `update tenants set settings = jsonb_set(settings, '{banking}', '{"monthlyFee": "0.00"}') where id = $1`,
    [client.clientId],
  );
  await run(day('2026-02-02'));
  expect(await feesOf(id)).toEqual(['2026-01 paid']);
  expect(await ibanBalance(client)).toBe('0.00 0.00');
});

it('a failing fee of one IBAN does not stop the fees of others', async () => {
  const other = await api.client();
  const [spoilt, sound] = [
    await enabled(api, client, day('2026-01-15')),
    await enabled(api, other, day('2026-01-15')),
  ];
  await credited(api, sound.id, '100.00');
  const refuse = (on: string, table: string, row: string) =>
    api.database.query(`
      create or replace function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'this row cannot be written'; end $$;
      create trigger spoilt before ${on} on ${table} for each row
        when (${row}.virtual_iban_id = '${spoilt.id}') execute function refuse()`);
  const mend = () => api.database.query('drop trigger spoilt on virtual_iban_fees');

  await refuse('insert', 'virtual_iban_fees', 'new');
  await run(day('2026-02-02'));
  expect([await feesOf(spoilt.id), await feesOf(sound.id)]).toEqual([[], ['2026-01 paid']]);
  await mend();

  await refuse('update', 'virtual_iban_fees', 'old');
  await run(day('2026-03-02'));
  expect(await feesOf(spoilt.id)).toEqual(['2026-01 unpaid', '2026-02 unpaid']);
  expect(await feesOf(sound.id)).toEqual(['2026-01 paid', '2026-02 paid']);
  expect((await takeMonthlyFees(productAt(day('2026-03-03')), null)).failed).toBe(2);
  await mend();

  await credited(api, spoilt.id, '100.00');
  await run(day('2026-03-04'));
  expect(await feesOf(spoilt.id)).toEqual(['2026-01 paid', '2026-02 paid']);
});
