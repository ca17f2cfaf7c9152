/** @long */
import { keyName } from '../../../../src/kernel/idempotency';
import { checkLedger } from '../../../../src/kernel/ledger/check';
import { setUserStatus } from '../../../../src/people/users/operations';
import { switchOff, switchOn } from '../../../../src/process/switches/operations';
import { disableDestination } from '../../../../src/transfers/exchange/withdrawals/disable-destination';
import { withdrawalKey } from '../../../../src/transfers/exchange/withdrawals/kind';
import { accountBalance } from '../../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { breaksOf, fundedAccount, internal, told } from '../../payouts/support';
import {
  destinationOf,
  type ExchangeDouble,
  exchangeDouble,
  look,
  newKey,
  OPERATOR,
  read,
  withdraw,
  withdrawn,
} from './support';

let api: TestApi;
let client: Client;
let accountId: string;
let destinationId: string;
let exchange: ExchangeDouble;
let ahead = 0;
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + ahead) });
});
beforeEach(async () => {
  ahead = 0;
  exchange = exchangeDouble(api);
  client = await api.client();
  accountId = await fundedAccount(api, client);
  destinationId = await destinationOf(api, client);
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const balance = (id = accountId) => accountBalance(client, id);
const asked = (change: object = {}) => ({ accountId, destinationId, amount: '100.00', ...change });

const statusesTold = async (id: string) => {
  const rows = await api.database.query<{ data: string }>(
    `select data from events where event = 'transfer.status_changed' and data::json->>'recordId' = $1 order by number`,
    [id],
  );
  return rows.map(({ data }) => (JSON.parse(data) as { status: string }).status);
};

/** Checks that the work leaves no hold and no record. */
async function leavesNoTrace(work: () => Promise<unknown>): Promise<void> {
  const count = async () => {
    const [row] = await api.database.query<{ n: string }>(
      `select (select count(*) from transfers) || ' ' || (select count(*) from workflow_commands) || ' ' ||
              (select count(*) from ledger_legs) || ' ' || (select count(*) from daily_outflows) as n`,
    );
    return row?.n;
  };
  const [before, held] = [await count(), await balance()];
  await work();
  expect([await count(), await balance()]).toEqual([before, held]);
}

describe('POST /v1/exchange/withdrawals', () => {
  it('creates a withdrawal with a hold, and starts its workflow', async () => {
    const { status, body } = await withdraw(client, asked());
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^exw_[0-9a-z]{26}$/),
        accountId,
        destinationId,
        currency: 'EUR',
        status: 'created',
        destination: { name: 'A*** B***', iban: 'DE89****3000', bic: 'COBADEFF' },
        amount: '100.00',
        fee: '0.00',
        totalDebit: '100.00',
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: body.createdAt,
      },
    ]);
    expect(await balance()).toBe('4900.00 100.00');
    expect(api.commands.at(-1)).toMatchObject({
      workflow: 'exchangeWithdrawal',
      workflowId: `exchange-withdrawal-${body.id}`,
      action: 'start',
      tenantId: client.clientId,
    });
    expect(await read(client, body.id)).toEqual(body);
  });

  it('debits the account when it is sent, and pays the destination once', async () => {
    const { id } = await withdrawn(client, asked());
    expect(await look(api, id)).toBe('processing');
    expect([...exchange.orders.values()]).toEqual([
      {
        key: `exchange-withdrawal-${id}`,
        amount: expect.anything(),
        currency: 'EUR',
        destination: { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' },
        callbackUrl: `${api.url}/callbacks/exchange`,
      },
    ]);
    exchange.say(id, 'sent');
    expect(await look(api, id)).toBe('sent');
    exchange.say(id, 'completed');
    expect(await look(api, id)).toBe('completed');
    expect(await balance()).toBe('4900.00 0.00');
    expect(await internal(api, 'settlement:EUR', id)).toBe('100.00');
    expect(await told(api, id)).toEqual(['withdraw/exchange_withdrawal 100.00']);
    expect(await statusesTold(id)).toEqual(['processing', 'sent', 'completed']);
    expect(await read(client, id)).toMatchObject({
      status: 'completed',
      sentAt: expect.any(String),
      completedAt: expect.any(String),
    });
  });

  it('charges the fee of the tenant’s settings, and keeps it after a return', async () => {
    await api.database.query(
      `update tenants set settings = settings || '{"exchange":{"withdrawal":{"fees":[{"currency":"EUR","amount":"1.50"}],"feePercent":"0.5"}}}' where id = $1`,
      [client.clientId],
    );
    const made = await withdrawn(client, asked());
    expect(made).toMatchObject({ amount: '100.00', fee: '2.00', totalDebit: '102.00' });
    await look(api, made.id);
    exchange.say(made.id, 'returned');
    expect(await look(api, made.id)).toBe('returned');
    expect(await balance()).toBe('4998.00 0.00');
    expect(await told(api, made.id)).toEqual([
      ...['withdraw/exchange_withdrawal 100.00', 'fee/withdrawal_fee 2.00', 'deposit/payout_returned 100.00'],
    ]);
    expect(await read(client, made.id)).toMatchObject({ status: 'returned', returnedAmount: '100.00' });
    expect(await internal(api, 'settlement:EUR', made.id)).toBe('0.00');
  });

  it('is reversed with its fee when the exchange reports a failure after it was sent', async () => {
    const { id } = await withdrawn(client, asked());
    await look(api, id);
    exchange.say(id, 'sent');
    await look(api, id);
    exchange.say(id, 'failed');
    expect(await look(api, id)).toBe('returned');
    expect(await told(api, id)).toEqual([
      ...['withdraw/exchange_withdrawal 100.00', 'deposit/exchange_withdrawal_reversed 100.00'],
    ]);
    expect(await balance()).toBe('5000.00 0.00');
    expect((await breaksOf(api, id)).map(({ kind }) => kind)).toEqual(['transfer_contradicted']);
  });

  it('goes to an account without an IBAN', async () => {
    const bank = { name: 'Ada Byron', accountNumber: '12345678', bic: 'CHASUS33', country: 'US' };
    const to = await destinationOf(api, client, { bank });
    const { id, destination } = await withdrawn(client, asked({ destinationId: to }));
    expect(destination).toEqual({ ...bank, name: 'A*** B***', accountNumber: '****78' });
    await look(api, id);
    expect(exchange.orders.get(withdrawalKey(id))?.destination).toEqual(bank);
  });

  it('releases the hold when the exchange refuses', async () => {
    exchange.faults = ['refused'];
    const { id } = await withdrawn(client, asked());
    expect(await look(api, id)).toBe('failed');
    expect(await read(client, id)).toMatchObject({ status: 'failed', failure: 'beneficiary_refused' });
    expect(await balance()).toBe('5000.00 0.00');
  });

  it('is ordered again under its key after a lost answer, and paid once', async () => {
    exchange.faults = ['away', 'lost'];
    const { id } = await withdrawn(client, asked());
    for (let looks = 0; looks < 2; looks += 1) await expect(look(api, id)).rejects.toThrow();
    expect(await look(api, id)).toBe('processing');
    expect(exchange.orders.size).toBe(1);
    expect(await balance()).toBe('4900.00 100.00');
  });

  it('requires a key, which is kept permanently', async () => {
    const without = await client.call('POST', '/v1/exchange/withdrawals', asked());
    expect([without.status, without.body.code]).toEqual([400, 'idempotency_key_required']);
    const key = newKey();
    const first = await withdraw(client, asked(), key);
    const again = await withdraw(client, asked(), key);
    expect([again.status, again.text, again.headers.get('x-idempotent-replayed')]).toEqual([
      ...[201, first.text, 'true'],
    ]);
    const text = 'select permanent from idempotency_keys where name = $1';
    const name = keyName(client.clientId, 'POST /v1/exchange/withdrawals', key['x-idempotency-key']);
    expect(await api.database.query(text, [name])).toEqual([{ permanent: true }]);
  });

  it.each([
    [{ amount: '0' }, 400, 'invalid_request', 'amount'],
    [{ amount: 100 }, 400, 'invalid_request', 'amount'],
    [{ amount: '1.001' }, 400, 'invalid_request', 'amount'],
    [{ amount: '5000.01' }, 409, 'insufficient_funds', 'amount'],
    [{ accountId: 'acc_none' }, 404, 'not_found', 'accountId'],
    [{ destinationId: 'wdd_none' }, 404, 'not_found', 'destinationId'],
    [{ destinationId: undefined }, 400, 'invalid_request', 'destinationId'],
    [{ method: 'sepa' }, 400, 'invalid_request', 'method'],
  ])('refuses %j and leaves no trace', async (change, status, code, field) => {
    await leavesNoTrace(async () => {
      const answer = await withdraw(client, asked(change));
      expect([answer.status, answer.body.code, answer.body.field]).toEqual([status, code, field]);
    });
  });

  it('is a 404 for another tenant’s account, destination or withdrawal', async () => {
    const other = await api.client();
    const foreign = await destinationOf(api, other);
    await leavesNoTrace(async () => {
      expect((await withdraw(other, asked())).body).toMatchObject({ code: 'not_found', field: 'accountId' });
      const named = await withdraw(client, asked({ destinationId: foreign }));
      expect(named.body).toMatchObject({ code: 'not_found', field: 'destinationId' });
    });
    const { id } = await withdrawn(client, asked());
    expect((await other.call('GET', `/v1/exchange/withdrawals/${id}`)).status).toBe(404);
    const admin = await api.client('admin');
    expect((await admin.call('GET', `/v1/exchange/withdrawals/${id}`)).body.id).toBe(id);
  });

  it('lists the client’s withdrawals, newest first, by status, account and currency', async () => {
    const first = await withdrawn(client, asked());
    const second = await withdrawn(client, asked({ amount: '20.00' }));
    await look(api, second.id as string);
    const ids = async (query = '') => {
      const { body } = await client.call('GET', `/v1/exchange/withdrawals?${query}`);
      return (body as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    expect(await ids()).toEqual([second.id, first.id]);
    expect(await ids('status=created')).toEqual([first.id]);
    expect(await ids(`accountId=${accountId}&currency=EUR`)).toEqual([second.id, first.id]);
    expect(await ids('currency=USD')).toEqual([]);
    expect(await ids('limit=1')).toEqual([second.id]);
    const { body } = await client.call('GET', '/v1/exchange/withdrawals?status=created');
    expect(body).toMatchObject({ data: [first], nextCursor: null });
    const other = await (await api.client()).call('GET', `/v1/exchange/withdrawals?accountId=${accountId}`);
    expect(other.body).toMatchObject({ data: [], nextCursor: null });
  });

  it('requires a destination in the account’s currency', async () => {
    const dollars = await destinationOf(api, client, { currency: 'USD' });
    await leavesNoTrace(async () => {
      const { status, body } = await withdraw(client, asked({ destinationId: dollars }));
      expect([status, body.code, body.field]).toEqual([400, 'invalid_request', 'destinationId']);
    });
  });

  it('can use a new destination after a day, not before', async () => {
    const waiting = await destinationOf(api, client, {
      bank: { name: 'Ada Byron', iban: 'FR1420041010050500013M02606' },
      waits: true,
    });
    const to = asked({ destinationId: waiting });
    ahead = 24 * 3_600_000 - 60_000;
    await leavesNoTrace(async () => {
      const { status, body } = await withdraw(client, to);
      expect([status, body.code, body.field]).toEqual([409, 'invalid_transition', 'destinationId']);
    });
    ahead = 24 * 3_600_000 + 1_000;
    expect((await withdraw(client, to)).status).toBe(201);
  });

  it('refuses a closed account and a blocked user', async () => {
    const user = await client.call('POST', '/v1/users', { meta: { firstName: 'Ada' } });
    const own = await client.call('POST', `/v1/users/${user.body.id}/accounts`, { currency: 'EUR' });
    await api.database.transaction((tx) =>
      setUserStatus(api.services, tx, null, user.body.id, 'blocked', undefined),
    );
    const answer = await withdraw(client, asked({ accountId: own.body.id }));
    expect([answer.status, answer.body.code]).toEqual([409, 'user_blocked']);
    await api.database.query(`update accounts set status = 'closed' where id = $1`, [own.body.id]);
    const closed = await withdraw(client, asked({ accountId: own.body.id }));
    expect([closed.status, closed.body.code]).toEqual([409, 'account_closed']);
  });

  it.each([
    ['capability', 'exchange'],
    ['party', 'exchange'],
  ] as const)('is refused while the %s is off, and existing ones can be read', async (kind, name) => {
    const { id } = await withdrawn(client, asked());
    const how = { at: new Date(), by: OPERATOR, reason: 'a test' };
    const switched = (verb: typeof switchOff | typeof switchOn) =>
      api.database.transaction(async (tx) => void (await verb(tx, { kind, name, tenantId: null }, how)));
    const passed = () => new Promise((resolve) => setTimeout(resolve, 1_050));
    await switched(switchOff);
    await passed();
    await leavesNoTrace(async () => {
      const { status, body } = await withdraw(client, asked());
      expect([status, body.code]).toEqual([403, 'capability_disabled']);
    });
    expect((await read(client, id)).id).toBe(id);
    await switched(switchOn);
    await passed();
  });
});

describe('a disabled destination', () => {
  const disabled = () =>
    api.database.transaction((tx) =>
      disableDestination(api.services, tx, { id: destinationId, by: OPERATOR }),
    );

  it('is refused', async () => {
    await disabled();
    await leavesNoTrace(async () => {
      const { status, body } = await withdraw(client, asked());
      expect([status, body.code, body.field]).toEqual([409, 'invalid_transition', 'destinationId']);
    });
  });

  it('cancels exactly the withdrawals that were not ordered', async () => {
    await approvedAbove();
    const ordered = await withdrawn(client, asked());
    await look(api, ordered.id);
    const fresh = await withdrawn(client, asked());
    const waiting = await withdrawn(client, asked({ amount: '500.00' }));
    expect(await look(api, waiting.id)).toBe('pending_approval');
    const { cancelled } = await disabled();
    expect(cancelled.sort()).toEqual([fresh.id, waiting.id].sort());
    for (const id of cancelled)
      expect(await read(client, id)).toMatchObject({ status: 'cancelled', failure: 'destination_disabled' });
    expect(await balance()).toBe('4900.00 100.00');
    expect(await look(api, fresh.id)).toBe('cancelled');
    exchange.say(ordered.id, 'completed');
    await look(api, ordered.id);
    expect((await read(client, ordered.id)).status).toBe('completed');
    expect(exchange.orders.size).toBe(1);
  });

  it('cancels a withdrawal that waits for a stopped exchange', async () => {
    const { id } = await withdrawn(client, asked());
    const { switches } = api.services;
    api.services.switches = { ...switches, party: async () => 'stopped' };
    await expect(look(api, id)).rejects.toThrow();
    api.services.switches = switches;
    expect((await read(client, id)).status).toBe('processing');
    expect((await disabled()).cancelled).toEqual([id]);
    expect(await balance()).toBe('5000.00 0.00');
  });

  /** Requires an approval above 200 EUR. */
  async function approvedAbove() {
    const approvalAbove = [{ currency: 'EUR', amount: '200.00' }];
    await api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
      ...[client.clientId, JSON.stringify({ exchange: { withdrawal: { approvalAbove } } })],
    ]);
  }
});

it('creates ten of fifty withdrawals at once when the money covers ten', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => withdraw(client, asked({ amount: '500.00' }))),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  expect(await balance()).toBe('0.00 5000.00');
});
