/** @long */
import { deskCatalogue } from '../../../../src/desk-catalogue';
import type { Tx } from '../../../../src/kernel/db/database';
import { checkLedger } from '../../../../src/kernel/ledger/check';
import { accountBalance } from '../../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { anotherOperator, command, operatorEnvironment } from '../../../support/operator';
import { fundedAccount } from '../../payouts/support';
import { BANK, destinationOf, exchangeDouble, IBAN, look, read, withdraw, withdrawn } from './support';

let api: TestApi;
let client: Client;
let accountId: string;
let environment: Record<string, string>;
beforeAll(async () => {
  api = await testApi();
  exchangeDouble(api);
  environment = await operatorEnvironment(api.database);
});
beforeEach(async () => {
  client = await api.client();
  accountId = await fundedAccount(api, client, '50000.00');
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const operator = (...argv: string[]) => command(environment, ...argv);
const balance = () => accountBalance(client, accountId);
const destinations = async (query = '') =>
  (await client.call('GET', `/v1/exchange/withdrawal-destinations${query}`)).body;

const add = (...more: string[]) =>
  operator(
    ...['destination', 'add', '--client', client.clientId, '--currency', 'EUR', '--name', 'Ada Byron'],
    ...(more.some((each) => ['--iban', '--account-number', '--country'].includes(each))
      ? []
      : ['--iban', IBAN]),
    ...more,
  );

async function added(...more: string[]): Promise<any> {
  const { code, out, err } = await add(...more, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

const auditOf = (subject: string) =>
  api.database.query(
    'select action, actor, tenant_id, before, after from audit_log where subject = $1 order by id',
    [subject],
  );

describe('destination', () => {
  it('add creates a masked destination that is usable after a day', async () => {
    const { id, createdAt } = await added('--bic', 'cobadeff', '--label', 'Our bank');
    const { data, hasMore, nextCursor } = await destinations();
    expect([hasMore, nextCursor]).toEqual([false, null]);
    expect(data).toEqual([
      {
        id,
        label: 'Our bank',
        currency: 'EUR',
        status: 'pending',
        createdAt,
        updatedAt: createdAt,
        destination: { name: 'A*** B***', iban: 'DE89****3000', bic: 'COBADEFF' },
        activeFrom: new Date(Date.parse(createdAt) + 24 * 3_600_000).toISOString(),
      },
    ]);
    const [entry] = await auditOf(id);
    expect(entry).toMatchObject({
      action: 'destination.add',
      actor: 'operator:ida',
      tenant_id: client.clientId,
    });
    expect(JSON.stringify(entry)).not.toMatch(/Byron|0532013000/);
    const [row] = await api.database.query<{ destination: Buffer }>(
      'select destination from withdrawal_destinations where id = $1',
      [id],
    );
    expect(row?.destination.toString('latin1')).not.toContain(IBAN);
  });

  it.each([
    [['--iban', 'DE89370400440532013001'], 2, 'iban'],
    [['--bic', 'NOBANK'], 2, 'bic'],
    [['--currency', 'USDT'], 2, 'currency'],
    [['--client', 'cli_none'], 3, undefined],
    [['--account-number', '12'], 2, 'accountNumber'],
    [['--account-number', '12345678'], 2, 'bic'],
    [['--account-number', '12345678', '--iban', IBAN, '--bic', 'cobadeff'], 2, 'accountNumber'],
    [['--country', 'DE'], 2, 'iban'],
    [['--iban', IBAN, '--country', 'Germany'], 2, 'country'],
  ])('add refuses %j', async (more, code, field) => {
    const refused = await add(...more, '--json');
    expect([refused.code, JSON.parse(refused.err).field]).toEqual([code, field]);
    expect((await destinations()).data).toEqual([]);
  });

  it('add refuses an existing account and currency until the destination is disabled', async () => {
    const { id } = await added();
    for (const more of [[], ['--preview']]) {
      const again = await add('--json', ...more);
      expect(JSON.parse(again.err)).toMatchObject({ code: 'ErrAlreadyExists', field: 'iban' });
    }
    await added('--currency', 'USD');
    expect((await operator('destination', 'disable', id)).code).toBe(0);
    const { id: anew } = await added();
    expect((await destinations('?status=pending&currency=EUR')).data.map((each: any) => each.id)).toEqual([
      anew,
    ]);
  });

  it('add shows beforehand the masked account and its time, and adds nothing', async () => {
    const { out } = await add('--preview', '--json');
    expect(JSON.parse(out).effects).toEqual([
      { field: 'account', from: null, to: 'DE89****3000' },
      { field: 'active from', from: null, to: expect.stringMatching(/Z$/) },
    ]);
    expect((await destinations()).data).toEqual([]);
  });

  it('add accepts an account without an IBAN, once', async () => {
    const account = ['--account-number', '1234 5678', '--bic', 'CHASUS33', '--country', 'US'];
    const { destination } = await added('--currency', 'USD', ...account);
    expect(destination).toEqual({
      name: 'A*** B***',
      accountNumber: '****78',
      bic: 'CHASUS33',
      country: 'US',
    });
    expect((await operator('destination', 'list', '--client', client.clientId)).out).toContain('****78');
    // The BIC of the head office also exists with eleven characters.
    const again = await add('--currency', 'USD', ...account, '--bic', 'CHASUS33XXX', '--json');
    expect(JSON.parse(again.err)).toMatchObject({ code: 'ErrAlreadyExists', field: 'accountNumber' });
    await added('--currency', 'USD', ...account, '--bic', 'CHASUS33ABC');
  });

  it('add opens the ledger accounts of a new currency', async () => {
    await added('--currency', 'XAF');
    const rows = await api.database.query(`select 1 from ledger_accounts where id = 'settlement:XAF'`);
    expect(rows).toHaveLength(1);
  });

  it('is invisible to other clients', async () => {
    await added();
    const other = await api.client();
    expect((await other.call('GET', '/v1/exchange/withdrawal-destinations')).body.data).toEqual([]);
  });

  it('waive makes it usable at once, and records the operator', async () => {
    const { id } = await added();
    const body = { accountId, destinationId: id, amount: '10.00' };
    expect((await withdraw(client, body)).body.code).toBe('invalid_transition');
    const waived = await operator('destination', 'waive', id, '--json');
    expect([waived.code, JSON.parse(waived.out).status]).toEqual([0, 'active']);
    expect((await withdraw(client, body)).status).toBe(201);
    expect((await operator('destination', 'waive', id)).code).toBe(4);
    expect(await auditOf(id)).toMatchObject([
      { action: 'destination.add' },
      {
        action: 'destination.waive',
        actor: 'operator:ida',
        before: { status: 'pending' },
        after: { status: 'active' },
      },
    ]);
    const { out } = await operator('show', id, '--json');
    expect(JSON.parse(out)).toMatchObject({
      what: 'withdrawal destination',
      status: 'active',
      record: { addedBy: 'operator:ida', waivedBy: 'operator:ida' },
    });
  });

  it('waive takes another operator than add, if there is another', async () => {
    const { id } = await added();
    const other = await anotherOperator(environment, 'bea');
    for (const more of [[], ['--preview']]) {
      const refused = await operator('destination', 'waive', id, '--json', ...more);
      expect([refused.code, JSON.parse(refused.err).code]).toEqual([4, 'invalid_transition']);
    }
    expect((await destinations()).data).toMatchObject([{ id, status: 'pending' }]);
    expect((await command(other, 'destination', 'waive', id)).code).toBe(0);
    const { id: second } = await added('--currency', 'USD');
    expect((await operator('operator', 'disable', 'bea', '--reason', 'a test')).code).toBe(0);
    expect((await operator('destination', 'waive', second)).code).toBe(0);
  });

  it('disable is final, and cancels withdrawals that were not ordered', async () => {
    const destinationId = await destinationOf(api, client);
    const { id } = await withdrawn(client, { accountId, destinationId, amount: '10.00' });
    const preview = await operator('destination', 'disable', destinationId, '--preview', '--json');
    expect(JSON.parse(preview.out).effects).toContainEqual({
      field: 'withdrawals not ordered yet',
      from: '1',
      to: '0',
    });
    const { out } = await operator('destination', 'disable', destinationId, '--json');
    expect(JSON.parse(out)).toMatchObject({ destination: { status: 'disabled' }, cancelled: [id] });
    expect(await read(client, id)).toMatchObject({ status: 'cancelled', failure: 'destination_disabled' });
    expect(await balance()).toBe('50000.00 0.00');
    expect((await operator('destination', 'disable', destinationId)).code).toBe(4);
    expect((await operator('destination', 'waive', destinationId)).code).toBe(4);
    expect((await operator('destination', 'disable', 'wdd_none')).code).toBe(3);
  });

  it('list shows the destinations of all clients, or of one', async () => {
    const { id } = await added();
    const { out } = await operator('destination', 'list', '--client', client.clientId);
    expect(out).toMatch(new RegExp(`${id}.*${client.clientId}.*EUR.*DE89\\*\\*\\*\\*3000.*pending`));
    expect((await operator('destination', 'list')).out.split('\n').length).toBeGreaterThan(2);
    const page = await operator('desk', 'list', 'destinations', '--limit', '1', '--json');
    const { items, next } = JSON.parse(page.out);
    const rest = await operator('desk', 'list', 'destinations', '--after', next, '--limit', '1', '--json');
    expect([items[0].id, JSON.parse(rest.out).items[0].id < id]).toEqual([id, true]);
  });
});

describe('a withdrawal above the threshold', () => {
  let id: string;
  beforeEach(async () => {
    const destinationId = await destinationOf(api, client);
    ({ id } = await withdrawn(client, { accountId, destinationId, amount: '10000.01' }));
    expect(await look(api, id)).toBe('pending_approval');
  });

  it('waits on the desk without its beneficiary, which only the approver may reveal', async () => {
    const { out } = await operator('desk', 'list', 'exchange-withdrawals');
    expect(out).toMatch(new RegExp(`${id}.*${client.clientId}.*10000.01 EUR`));
    const { out: json } = await operator('desk', 'list', 'exchange-withdrawals', '--json');
    expect(out + json).not.toMatch(/Byron|0532013000/);
    const { records } = deskCatalogue(api.services);
    const reveal = (tx: Tx) =>
      records.get('exchangeWithdrawal')?.reveal?.read(tx, id) ?? Promise.reject(new Error(id));
    expect(await api.database.transaction(reveal)).toEqual({
      action: 'exchange_withdrawal.reveal',
      tenantId: client.clientId,
      data: BANK,
    });
  });

  it('is ordered when it is approved', async () => {
    const { code, out } = await operator('withdrawal', 'approve', id, '--reason', 'Called them.', '--json');
    expect([code, JSON.parse(out).status]).toEqual([0, 'processing']);
    expect(
      await api.database.query(
        'select kind, reason, decided_by from transfer_decisions where transfer_id = $1',
        [id],
      ),
    ).toEqual([{ kind: 'approve', reason: 'Called them.', decided_by: 'operator:ida' }]);
    expect(await auditOf(id)).toMatchObject([
      {
        action: 'withdrawal.approve',
        before: { status: 'pending_approval' },
        after: { status: 'processing' },
      },
    ]);
    expect((await operator('withdrawal', 'approve', id)).code).toBe(4);
    const { out: story } = await operator('show', id, '--json');
    expect(JSON.parse(story)).toMatchObject({ what: 'exchange_withdrawal', status: 'processing' });
  });

  it('is previewed in numbers, and is open until it has ended', async () => {
    const { out } = await operator('withdrawal', 'reject', id, '--preview', '--json');
    expect(JSON.parse(out).effects).toEqual([
      { field: 'status', from: 'pending_approval', to: 'rejected' },
      { field: 'held', from: '10000.01 EUR', to: null },
    ]);
    const open = ['desk', 'list', 'exchange-withdrawals-open', '--client', client.clientId, '--json'];
    expect(JSON.parse((await operator(...open)).out).items).toMatchObject([
      { id, status: 'pending_approval' },
    ]);
    expect((await operator('withdrawal', 'reject', id, '--reason', 'No.')).code).toBe(0);
    expect(JSON.parse((await operator(...open)).out).items).toEqual([]);
  });

  it('releases its hold after a rejection, and the client reads the reason', async () => {
    expect(await balance()).toBe('39999.99 10000.01');
    expect((await operator('withdrawal', 'reject', id, '--reason', 'No contract.')).out).toBe(
      `${id} is rejected.`,
    );
    expect(await balance()).toBe('50000.00 0.00');
    expect(await read(client, id)).toMatchObject({ status: 'rejected', description: 'No contract.' });
  });

  it('cannot be approved once its account is closed', async () => {
    await api.database.query(`update accounts set status = 'closed' where id = $1`, [accountId]);
    const { code, err } = await operator('withdrawal', 'approve', id);
    expect([code, err]).toEqual([4, 'The account is closed.']);
  });
});

it('a withdrawal that takes the daily sum above its threshold waits too', async () => {
  const sets = ['approvals.aboveDaily=150', 'approvals.currency=EUR'].flatMap((set) => ['--set', set]);
  expect((await operator('client', 'settings', client.clientId, ...sets)).code).toBe(0);
  const destinationId = await destinationOf(api, client);
  const made = [];
  for (const amount of ['100.00', '100.00'])
    made.push((await withdrawn(client, { accountId, destinationId, amount })).id);
  expect([await look(api, made[0]), await look(api, made[1])]).toEqual(['processing', 'pending_approval']);
});

it('the tenant’s own threshold counts the whole debit', async () => {
  const sets = [
    ...['exchange.withdrawal.approvalAbove=[{"currency":"EUR","amount":"100.50"}]'],
    ...['exchange.withdrawal.fees=[{"currency":"EUR","amount":"1.00"},{"currency":"JPY","amount":"150"}]'],
  ].flatMap((set) => ['--set', set]);
  expect((await operator('client', 'settings', client.clientId, ...sets)).code).toBe(0);
  const destinationId = await destinationOf(api, client);
  const { id, fee } = await withdrawn(client, { accountId, destinationId, amount: '100.00' });
  expect([fee, await look(api, id)]).toEqual(['1.00', 'pending_approval']);
});
