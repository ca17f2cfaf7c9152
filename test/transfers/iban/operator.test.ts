import { discover } from '../../../src/transfers/discover';
import { takeMonthlyFees } from '../../../src/transfers/iban/fees/operations';
import { transferProcesses } from '../../../src/transfers/reconcilables';
import { type Client, type TestApi, testApi } from '../../support/api';
import { command, operatorEnvironment } from '../../support/operator';
import { asked } from '../external-cards/support';
import { bankingPath, credited, enabled, ibanBalance, look, paidOut } from './support';

let api: TestApi;
let client: Client;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  api = await testApi();
  environment = await operatorEnvironment(api.database);
});
beforeEach(async () => {
  client = await api.client();
});
afterAll(() => api.close());

const operator = (...argv: string[]) => command(environment, ...argv);

describe('the operator’s command line', () => {
  it('enables and disables a company’s IBAN, with entries in the audit log', async () => {
    const made = await operator('iban', 'enable', client.clientId, '--json');
    expect(made.code).toBe(0);
    const iban = JSON.parse(made.out);
    const { body } = await client.call('GET', `${bankingPath(client)}/account`);
    expect(iban).toEqual({
      id: body.id,
      companyId: client.clientId,
      iban: body.iban,
      bic: body.bic,
      status: 'active',
    });
    expect((await operator('iban', 'list')).out).toContain(body.iban);
    expect((await operator('iban', 'disable', client.clientId)).out).toBe(`${client.clientId} is disabled.`);
    expect((await client.call('GET', `${bankingPath(client)}/account`)).status).toBe(403);
    expect(
      await api.database.query('select action, after from audit_log where subject = $1 order by id', [
        body.id,
      ]),
    ).toEqual([
      { action: 'iban.enable', after: { status: 'active', changed: true, reason: null } },
      { action: 'iban.disable', after: { status: 'disabled', changed: true, reason: null } },
    ]);
  });

  it('refuses an unknown company', async () => {
    for (const verb of ['enable', 'disable']) {
      const answer = await operator('iban', verb, 'cli_unknown');
      expect([answer.code, answer.err]).toEqual([3, expect.stringContaining('not found')]);
    }
  });

  it('shows unpaid fees', async () => {
    const { id } = await enabled(api, client, new Date('2026-01-15T12:00:00Z'));
    await takeMonthlyFees({ ...api.services, now: () => new Date('2026-02-02T12:00:00Z') }, null);
    const fees = JSON.parse((await operator('iban', 'fees', '--json')).out);
    expect(fees).toContainEqual({
      iban: id,
      company: client.clientId,
      month: '2026-01',
      amount: { amount: '10.00', currency: 'EUR' },
      attempts: 1,
    });
    expect((await operator('breaks', 'list')).out).toContain('iban_fee_unpaid');
  });
});

describe('payouts above the threshold', () => {
  /** Creates a payout of 20.50 EUR in total, above a threshold of 20.49. */
  async function pending() {
    await operator('client', 'settings', client.clientId, '--set', 'banking.payout.approvalAbove="20.49"');
    const { id: ibanId } = await enabled(api, client);
    await credited(api, ibanId, '100.00');
    const payout = await paidOut(client, '20.00');
    expect(payout.made.body.status).toBe('created');
    expect((await look(api, payout.id)).status).toBe('pending_approval');
    return payout;
  }

  it('wait for an operator, who approves them', async () => {
    const { id, show } = await pending();
    expect((await operator('iban-payout', 'list')).out).toMatch(
      new RegExp(`${id}.*${client.clientId}.*20.50 EUR`),
    );
    expect(await ibanBalance(client)).toBe('79.50 20.50');
    const approved = await operator('iban-payout', 'approve', id, '--reason', 'Called them.', '--json');
    expect([approved.code, JSON.parse(approved.out)]).toEqual([0, await show()]);
    expect((await show()).status).toBe('processing');
    const again = await operator('iban-payout', 'approve', id);
    expect([again.code, again.err]).toEqual([4, 'A payout that is processing cannot be approved.']);
    const audited = await api.database.query(
      'select action, before, after from audit_log where subject = $1',
      [id],
    );
    expect(audited).toEqual([
      {
        action: 'iban-payout.approve',
        before: { status: 'pending_approval' },
        after: { status: 'processing', reason: 'Called them.' },
      },
    ]);
  });

  it('release the hold after a rejection, and the company reads the reason', async () => {
    const { id, show } = await pending();
    expect((await operator('iban-payout', 'reject', id, '--reason', 'No invoice.')).out).toBe(
      `${id} is rejected.`,
    );
    expect(await show()).toMatchObject({ status: 'rejected', description: 'No invoice.' });
    expect(await ibanBalance(client)).toBe('100.00 0.00');
  });

  it('are unknown to the commands for payouts of accounts', async () => {
    const { id } = await pending();
    expect(await operator('payout', 'approve', id)).toMatchObject({ code: 3, err: 'payout not found.' });
  });
});

it('the reconciler signals overdue transfers, and none that it signalled lately', async () => {
  const { id: ibanId, iban } = await enabled(api, client);
  await credited(api, ibanId, '100.00');
  const { id: payoutId } = await paidOut(client, '10.00');
  const { id: cardId } = await asked(api, client, 'topup', 'tok_visa');
  const paid = { iban, amount: '25.00', mute: true };
  const { id: bankId } = (await client.call('POST', '/sandbox/iban-credits', paid)).body;
  await discover(api.services, 'bank', bankId);
  const inAnHour = new Date(Date.now() + 3_600_000);
  for (const [name, workflowId] of [
    ['iban_payout', `iban-payout-${payoutId}`],
    ['card_topup', `card-topup-${cardId}`],
    ['iban_credit', `iban-credit-${bankId}`],
  ] as const) {
    const process = transferProcesses.find((each) => each.name === `transfers: ${name}`);
    const action = 'look';
    const stale = async (at: Date, except: string[] = []) =>
      (await process?.stale(api.database, at, 100, except))?.filter((each) => each.workflowId === workflowId);
    expect(await stale(new Date())).toEqual([]);
    expect(await stale(inAnHour)).toMatchObject([{ workflowId, action }]);
    expect(await stale(inAnHour, [workflowId])).toEqual([]);
  }
});

it('creates as many of twelve payouts at once as the money covers', async () => {
  const { id: ibanId } = await enabled(api, client);
  await credited(api, ibanId, '52.50');
  const made = await Promise.allSettled(Array.from({ length: 12 }, () => paidOut(client, '10.00')));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(await ibanBalance(client)).toBe('0.00 52.50');
});
