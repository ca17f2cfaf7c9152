/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import { accountBalance } from '../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { type Fault, type PartyDouble, partyDouble, type SetPayout } from './party-double';
import { breaksOf, created, fundedAccount, IBAN, internal, look, read, statusesTold, told } from './support';

let api: TestApi;
let client: Client;
let accountId: string;
let party: PartyDouble;
/** How far the product's clock is ahead, in milliseconds. */
let ahead = 0;
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + ahead) });
});
beforeEach(async () => {
  party = await partyDouble(api);
  client = await api.client();
  accountId = await fundedAccount(api, client);
});
afterEach(async () => {
  await party.close();
  expect(await checkLedger(api.database)).toEqual([]);
});
afterAll(() => api.close());

const balance = () => accountBalance(client, accountId);
const HELD = '4899.65 100.35';
const GONE = '4899.65 0.00';
const WHOLE = '5000.00 0.00';

/** Repeats a step as Temporal does. @returns the status, and the errors of failed attempts */
async function persist(id: string): Promise<{ status: string; failures: string[] }> {
  const failures: string[] = [];
  while (failures.length < 10) {
    try {
      return { status: await look(api, id), failures };
    } catch (error) {
      failures.push((error as Error).name);
    }
  }
  throw new Error(`every step of ${id} fails: ${failures.join()}`);
}

describe('the order', () => {
  it.each<[Fault, string[]]>([
    ['lost', ['OutcomeUnknown']],
    ['unavailable', ['PartyAway']],
    ['error-500', ['OutcomeUnknown']],
    ['rubbish', ['OutcomeUnknown']],
    ['slow', []],
    ['done-and-error-500', ['OutcomeUnknown']],
    ['done-and-silent', ['OutcomeUnknown']],
    ['done-and-broken-off', ['OutcomeUnknown']],
    ['in-progress-409', ['OutcomeUnknown']],
    ['not-found-404', ['PartyAway']],
  ])('%s leaves it open, and it is paid once', async (fault, expected) => {
    const id = await created(client, accountId);
    party.orders = [fault];
    expect(await persist(id)).toEqual({ status: 'processing', failures: expected });
    expect(await balance()).toBe(HELD);
    expect(party.payments).toHaveLength(1);
    party.set(id, { status: 'completed' });
    expect(await look(api, id)).toBe('completed');
    expect(await balance()).toBe(GONE);
    expect(await told(api, id)).toEqual(['withdraw/payout 100.00', 'fee/payout_fee 0.35']);
  });

  it('has the data for the party, under the payout’s key', async () => {
    const id = await created(client, accountId);
    await look(api, id);
    expect(party.payment(id)).toMatchObject({
      key: `payout-${id}`,
      order: {
        method: 'sepa',
        amount: '100',
        currency: 'EUR',
        destination: { name: 'Ada Byron', iban: IBAN, bic: 'COBADEFF' },
        callbackUrl: `${api.url}/callbacks/payouts`,
      },
    });
  });

  it('fails when it is refused, and releases the hold', async () => {
    const id = await created(client, accountId);
    party.orders = ['refused-422'];
    expect(await look(api, id)).toBe('failed');
    expect(await read(client, accountId, id)).toMatchObject({
      status: 'failed',
      failure: 'beneficiary_refused',
    });
    expect(await balance()).toBe(WHOLE);
    // Another step does not order it again.
    expect(await look(api, id)).toBe('failed');
    expect(party.payments).toHaveLength(0);
  });

  it('keeps the money held while every attempt fails', async () => {
    const id = await created(client, accountId);
    party.orders = ['done-and-silent', ...Array<Fault>(4).fill('error-500')];
    for (let attempt = 0; attempt < 5; attempt += 1) await look(api, id).catch(() => undefined);
    expect((await read(client, accountId, id)).status).toBe('processing');
    expect(await balance()).toBe(HELD);
    expect(await persist(id)).toEqual({ status: 'processing', failures: [] });
    expect(party.payments).toHaveLength(1);
  });

  it.each(['__proto__ GmbH', 'BigBank AG says no', 'x'.repeat(100), ''])(
    'hides a failure code of the party that is no code: %s',
    async (failureCode) => {
      const id = await created(client, accountId);
      await look(api, id);
      party.set(id, { status: 'failed', failureCode });
      await look(api, id);
      expect((await read(client, accountId, id)).failure).toBe('provider_refused');
    },
  );
});

describe('the party’s word', () => {
  /** Orders a payout, and makes steps after each state of the party. */
  async function through(...states: SetPayout[]): Promise<string> {
    const id = await created(client, accountId);
    await look(api, id);
    for (const state of states) {
      party.set(id, state);
      await Promise.all([look(api, id), look(api, id)]); // parallel steps, as when Temporal takes a worker for dead
      await look(api, id);
    }
    return id;
  }

  it.each([
    ['sent', GONE],
    ['completed', GONE],
    ['failed', WHOLE],
    ['returned', '4999.65 0.00'],
  ] as const)('%s at once', async (status, expected) => {
    const id = await through({ status });
    expect((await read(client, accountId, id)).status).toBe(status);
    expect(await balance()).toBe(expected);
    expect(await breaksOf(api, id)).toEqual([]);
  });

  it('leads to webhooks of each status, after those of the account', async () => {
    const id = await through({ status: 'completed' });
    expect(await statusesTold(api, id)).toEqual([
      ...['created → processing', 'processing → sent', 'sent → completed'],
    ]);
    const events = await api.database.query<{ event: string }>(
      `select event from events where reference_id = $1 or data::json->>'recordId' = $1 order by number`,
      [id],
    );
    expect(events.map(({ event }) => event.split('.')[0])).toEqual([
      ...['payout', 'account_transaction', 'account_transaction', 'payout', 'payout'],
    ]);
  });

  it('that takes something back without a version counts at a second reading a minute later', async () => {
    party.counts = false;
    const id = await through({ status: 'completed' }, { status: 'processing' });
    expect((await read(client, accountId, id)).status).toBe('completed');
    expect([await balance(), await breaksOf(api, id)]).toEqual([GONE, []]);
    // An outdated answer does not come a second time.
    party.set(id, { status: 'completed' });
    ahead += 61_000;
    await look(api, id);
    expect([await balance(), await breaksOf(api, id)]).toEqual([GONE, []]);
    party.set(id, { status: 'returned' });
    await look(api, id);
    party.set(id, { status: 'completed' });
    await look(api, id);
    expect(await balance()).toBe('4999.65 0.00');
    ahead += 61_000;
    expect(await look(api, id)).toBe('completed');
    expect(await balance()).toBe(GONE);
  });

  it('with a lower version changes nothing, and opens a break', async () => {
    const id = await through({ status: 'sent' }, { status: 'completed' });
    Object.assign(party.payment(id), { status: 'processing', version: 1 });
    await look(api, id);
    expect((await read(client, accountId, id)).status).toBe('completed');
    expect(await balance()).toBe(GONE);
    expect(await breaksOf(api, id)).toEqual([expect.objectContaining({ kind: 'party_version_fell' })]);
  });

  it('that arrives after a newer word is dropped', async () => {
    const id = await through({ status: 'completed' });
    party.questions = ['stale'];
    const { asked } = party;
    const late = look(api, id);
    while (party.asked === asked || party.questions.length > 0) await new Promise(setImmediate);
    party.set(id, { status: 'returned' });
    expect(await look(api, id)).toBe('returned');
    expect(await late).toBe('returned');
    expect(await balance()).toBe('4999.65 0.00');
    expect(await breaksOf(api, id)).toEqual([]);
  });

  it('returned credits the amount once, without the fee', async () => {
    const id = await through({ status: 'completed' }, { status: 'returned' }, { status: 'returned' });
    expect(await read(client, accountId, id)).toMatchObject({
      status: 'returned',
      returnedAmount: '100.00',
      returnedAt: expect.stringMatching(/Z$/),
    });
    expect(await balance()).toBe('4999.65 0.00');
    expect(await told(api, id)).toEqual([
      'withdraw/payout 100.00',
      'fee/payout_fee 0.35',
      'deposit/payout_returned 100.00',
    ]);
  });

  it('returned in parts credits each part', async () => {
    const id = await through({ status: 'sent' }, { status: 'returned', returns: { a: '40.00' } });
    expect((await read(client, accountId, id)).returnedAmount).toBe('40.00');
    expect(await balance()).toBe('4939.65 0.00');
    party.set(id, { status: 'returned', returns: { a: '40.00', b: '60.00' } });
    await look(api, id);
    await look(api, id);
    expect(await balance()).toBe('4999.65 0.00');
    expect((await told(api, id)).slice(2)).toEqual([
      'deposit/payout_returned 40.00',
      'deposit/payout_returned 60.00',
    ]);
    expect(await breaksOf(api, id)).toEqual([]);
  });

  it('returned beyond the payment credits the payment, with the excess in suspense', async () => {
    const id = await through({ status: 'returned', returned: '130.00' });
    expect(await balance()).toBe('4999.65 0.00');
    expect(await internal(api, 'suspense:EUR', id)).toBe('30.00');
    expect(await breaksOf(api, id)).toEqual([{ kind: 'transfer_suspense', detail: 'EUR' }]);
  });

  it('returned to a closed account goes to suspense, and keeps the earlier credit', async () => {
    const id = await through({ status: 'returned', returns: { a: '40.00' } });
    await api.database.query(`update accounts set status = 'closed' where id = $1`, [accountId]);
    party.set(id, { status: 'returned', returns: { a: '40.00', b: '60.00' } });
    expect(await look(api, id)).toBe('returned');
    expect(await balance()).toBe('4939.65 0.00');
    expect(await internal(api, 'suspense:EUR', id)).toBe('60.00');
    expect((await read(client, accountId, id)).returnedAmount).toBe('40.00');
    expect(await breaksOf(api, id)).toEqual([{ kind: 'transfer_suspense', detail: 'EUR' }]);
  });

  it('failed and then completed debits the account below zero, with breaks', async () => {
    const id = await created(client, accountId, { amount: '4000.00' });
    await look(api, id);
    party.set(id, { status: 'failed' });
    await look(api, id);
    expect(await balance()).toBe(WHOLE);
    await created(client, accountId, { amount: '4000.00' }); // the money is spent before the correction
    party.set(id, { status: 'completed' });
    expect(await look(api, id)).toBe('completed');
    expect(await look(api, id)).toBe('completed');
    expect(await balance()).toBe('-3000.70 4000.35');
    expect(await kindsOf(id)).toEqual(['transfer_below_zero', 'transfer_contradicted']);
  });

  it.each(['sent', 'completed'] as const)(
    '%s and then failed credits the amount and the fee',
    async (status) => {
      const id = await through({ status }, { status: 'failed', failureCode: 'bank_refused' });
      expect(await read(client, accountId, id)).toMatchObject({
        status: 'returned',
        failure: 'bank_refused',
        returnedAmount: '100.00',
      });
      expect(await balance()).toBe(WHOLE);
      expect((await told(api, id)).slice(2).sort()).toEqual([
        'deposit/payout_fee_reversed 0.35',
        'deposit/payout_reversed 100.00',
      ]);
      expect(await kindsOf(id)).toEqual(['transfer_contradicted']);
    },
  );

  it('sent, failed and then completed debits the account again', async () => {
    const id = await through({ status: 'sent' }, { status: 'failed' }, { status: 'completed' });
    expect((await read(client, accountId, id)).status).toBe('completed');
    expect([await balance(), await internal(api, 'payouts:EUR', id)]).toEqual([GONE, '100.00']);
    expect(await kindsOf(id)).toEqual(['transfer_contradicted', 'transfer_contradicted']);
  });

  it('returned and then completed debits the account again', async () => {
    const id = await through({ status: 'returned' }, { status: 'completed' });
    const { status, returnedAmount } = await read(client, accountId, id);
    expect([status, returnedAmount]).toEqual(['completed', undefined]);
    expect([await balance(), await internal(api, 'payouts:EUR', id)]).toEqual([GONE, '100.00']);
    expect((await told(api, id)).slice(2)).toEqual([
      'deposit/payout_returned 100.00',
      'withdraw/payout_returned_reversed 100.00',
    ]);
    expect(await kindsOf(id)).toEqual(['transfer_contradicted']);
  });

  it('completed and then processing changes the books, and opens a break for the status', async () => {
    const id = await through({ status: 'completed' }, { status: 'processing' });
    expect((await read(client, accountId, id)).status).toBe('completed');
    expect(await balance()).toBe(HELD);
    expect(await kindsOf(id)).toEqual(['transfer_impossible']);
    party.set(id, { status: 'completed' });
    await look(api, id);
    expect(await balance()).toBe(GONE);
    expect(await kindsOf(id)).toEqual([]);
  });

  it('that it no longer knows the payout gives no new order', async () => {
    const id = await through({ status: 'completed' });
    party.payments = [];
    await look(api, id);
    expect(party.payments).toEqual([]);
    expect([await balance(), await kindsOf(id)]).toEqual([GONE, ['transfer_forgotten_by_party']]);
  });

  /** The kinds of open breaks. */
  const kindsOf = async (id: string) =>
    (
      await api.database.query<{ kind: string }>(
        'select kind from breaks where subject = $1 and resolved_at is null order by kind',
        [id],
      )
    ).map(({ kind }) => kind);
});

describe('callbacks', () => {
  const looks = (id: string) =>
    api.commands.filter(({ action, args }) => action === 'look' && args[0] === id).length;
  const kept = () =>
    api.database.query<{ outcome: string | null }>(
      `select outcome from provider_callbacks where party = 'payouts' order by received_at, id`,
    );
  const forged = () =>
    api.database.query<{ party: string; count: string }>('select party, count from forged_callbacks');
  beforeEach(() => api.database.query('truncate provider_callbacks, forged_callbacks'));

  it('send one signal, even when repeated, and move nothing themselves', async () => {
    const id = await created(client, accountId);
    await look(api, id);
    party.set(id, { status: 'completed' });
    const statuses = await Promise.all(
      Array.from({ length: 6 }, () => party.tell(api, id, { id: 'message' })),
    );
    expect(statuses).toEqual(Array(6).fill(200));
    expect(looks(id)).toBe(1);
    expect(await kept()).toEqual([{ outcome: 'told' }]);
    expect(await balance()).toBe(HELD);
    expect(await look(api, id)).toBe('completed');
  });

  it.each([
    ['a wrong signature', { forged: true }],
    ['changed bytes', { tampered: true }],
    ['a signature of yesterday', { at: new Date(Date.now() - 86_400_000) }],
    ['a signature of tomorrow', { at: new Date(Date.now() + 86_400_000) }],
  ])('with %s are 401, counted, and move nothing', async (_, options) => {
    const id = await created(client, accountId);
    await look(api, id);
    party.set(id, { status: 'completed' });
    expect(await party.tell(api, id, options)).toBe(401);
    expect(looks(id)).toBe(0);
    expect([await kept(), await forged()]).toEqual([[], [{ party: 'payouts', count: '1' }]]);
    expect((await read(client, accountId, id)).status).toBe('processing');
    expect(await balance()).toBe(HELD);
  });

  it('without a signature are 401', async () => {
    expect((await api.call('POST', '/callbacks/payouts', '{}')).status).toBe(401);
    expect((await api.call('POST', '/callbacks/payouts', 'nonsense')).status).toBe(401);
  });

  it('of unknown payouts are stored and answered', async () => {
    expect(await party.tell(api, 'pay_01jz0000000000000000000000')).toBe(200);
    expect(await party.tell(api, 'nonsense')).toBe(200);
    expect(await kept()).toEqual([{ outcome: 'unknown' }, { outcome: 'unknown' }]);
  });

  it('that come before the answer to the order send the signal', async () => {
    const id = await created(client, accountId);
    party.orders = ['done-and-silent'];
    party.begins = 'completed';
    await look(api, id).catch(() => undefined);
    expect(await party.tell(api, id)).toBe(200);
    expect(await look(api, id)).toBe('completed');
    expect(await balance()).toBe(GONE);
  });
});
