import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { createHttpBank } from '../../../src/parties/bank/http';
import { OutcomeUnknown } from '../../../src/process/party-errors';
import type { ResolutionKind } from '../../../src/transfers/engine/books/resolutions';
import { resolveSuspense } from '../../../src/transfers/suspense';
import { createReading } from '../../../src/watch/watch';
import type { Client, TestApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { until } from '../../support/until';
import {
  balanceOf,
  bookedOn,
  breaksOf,
  type Clock,
  foldOf,
  linesOf,
  onClock,
} from '../external-cards/support';
import { bankingPath, creditIdOf, disabled, enabled, ibanBalance, lookedAtCredit } from './support';

let api: TestApi & { clock: Clock };
let client: Client;
beforeAll(async () => {
  api = await onClock();
});
beforeEach(async () => {
  client = await api.client();
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

/** Pays at the sandbox's bank, by default without a callback. @returns the bank's id */
async function pay(given: Record<string, unknown>): Promise<string> {
  const answer = await client.call('POST', '/sandbox/iban-credits', {
    amount: '25.00',
    mute: true,
    ...given,
  });
  expect(answer.status).toBe(202);
  return answer.body.id as string;
}

/** The kinds of open breaks of a subject. */
async function openBreaks(subject: string): Promise<string[]> {
  const rows = await api.database.query<{ kind: string }>(
    'select kind from breaks where subject = $1 and resolved_at is null order by kind, detail',
    [subject],
  );
  return rows.map(({ kind }) => kind);
}

const told = (bankId: string) =>
  api.commands.filter(({ workflowId }) => workflowId === `iban-credit-${bankId}`).length;

describe('a payment from outside', () => {
  it('is credited once after a callback', async () => {
    const { id: ibanId, iban } = await enabled(api, client);
    const bankId = await pay({ iban: iban.replace(/(.{4})/g, '$1 ').toLowerCase(), mute: false });
    await until(() => told(bankId) > 0);
    const steps = await Promise.all([1, 2, 3].map(() => lookedAtCredit(api, bankId)));
    expect(steps.map(({ status, open }) => [status, open])).toEqual(Array(3).fill(['credited', false]));
    expect(await ibanBalance(client)).toBe('25.00 0.00');
    expect(await linesOf(api, ibanId)).toEqual(['deposit/iban_credit 25.00']);
    expect(await foldOf(api, ibanId)).toBe('25.00');
  });

  it('without a callback is found in the bank’s list', async () => {
    const { iban } = await enabled(api, client);
    const bankId = await pay({ iban });
    expect(told(bankId)).toBe(0);
    const reading = createReading(api.services, 'bank');
    for (let turns = 0; turns < 2; turns += 1) await reading.read();
    expect(told(bankId)).toBe(1);
    expect((await lookedAtCredit(api, bankId)).status).toBe('credited');
    expect(await ibanBalance(client)).toBe('25.00 0.00');
  });

  it('that the bank does not know is asked for during a day, and then opens a break', async () => {
    const began = api.clock.at.getTime();
    const bankId = 'sbp-replica';
    const waits: number[] = [];
    for (;;) {
      const { status, open, lookAt } = await lookedAtCredit(api, bankId);
      expect(status).toBe('unknown');
      if (!open || lookAt === null) break;
      expect(await openBreaks(bankId)).toEqual([]);
      waits.push((lookAt - api.clock.at.getTime()) / 1_000);
      api.clock.at = new Date(lookAt);
    }
    expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect([Math.max(...waits), waits.length < 40]).toEqual([3_600, true]);
    expect(api.clock.at.getTime() - began).toBeGreaterThanOrEqual(86_400_000);
    expect(await openBreaks(bankId)).toEqual(['party_word_missing']);
    expect(await api.database.query('select 1 from reported_names')).toEqual([]);
  });

  it('that the bank knows only later is credited, even after the break', async () => {
    const { iban } = await enabled(api, client);
    const bankId = await pay({ iban });
    const { bank } = api.services.parties;
    api.services.parties.bank = { ...bank, ask: async () => 'unknown_to_party' };
    expect(await lookedAtCredit(api, bankId)).toMatchObject({ status: 'unknown', open: true });
    api.clock.pass(86_400);
    expect(await lookedAtCredit(api, bankId)).toEqual({ status: 'unknown', open: false, lookAt: null });
    expect(await openBreaks(bankId)).toEqual(['party_word_missing']);
    api.services.parties.bank = bank;
    expect((await lookedAtCredit(api, bankId)).status).toBe('credited');
    expect(await ibanBalance(client)).toBe('25.00 0.00');
    expect(await openBreaks(bankId)).toEqual([]);
  });

  it('to an unknown or disabled IBAN, or in another currency, goes to suspense', async () => {
    const { iban } = await enabled(api, client);
    const foreign = await pay({ iban, currency: 'USD' });
    await lookedAtCredit(api, foreign);
    await disabled(api, client);
    const late = await pay({ iban });
    const unknown = await pay({ iban: 'LT000000000000000000', amount: '7.77' });
    for (const bankId of [late, unknown, unknown])
      expect((await lookedAtCredit(api, bankId)).status).toBe('suspended');
    for (const [bankId, amount] of [
      [foreign, '25'],
      [late, '25'],
      [unknown, '7.77'],
    ] as const)
      expect(await breaksOf(api, await creditIdOf(api, bankId))).toEqual([`transfer_suspense ${amount}`]);
    await enabled(api, client);
    expect(await ibanBalance(client)).toBe('0.00 0.00');
  });
});

describe('a recall by the payer’s bank', () => {
  it('debits the account even below zero, with a break', async () => {
    const { id: ibanId, iban } = await enabled(api, client);
    const bankId = await pay({ iban, amount: '801.01' });
    await lookedAtCredit(api, bankId);
    const moved = await client.call(
      'POST',
      `${bankingPath(client)}/transfers`,
      { amount: '801.01' },
      { 'x-idempotency-key': 'spent' },
    );
    expect(moved.status).toBe(201);
    api.clock.pass(6);
    expect((await lookedAtCredit(api, bankId)).status).toBe('recalled');
    expect(await ibanBalance(client)).toBe('-801.01 0.00');
    expect(await foldOf(api, ibanId)).toBe('-801.01');
    expect(await linesOf(api, ibanId)).toEqual([
      'deposit/iban_credit 801.01',
      'transfer/account_out -801.01',
      'withdraw/iban_credit_reversed -801.01',
    ]);
    expect(await breaksOf(api, await creditIdOf(api, bankId))).toEqual(['transfer_below_zero -801.01']);
  });

  it('in part debits that part', async () => {
    const { iban } = await enabled(api, client);
    const bankId = await pay({ iban, amount: '801.02' });
    await lookedAtCredit(api, bankId);
    api.clock.pass(6);
    expect((await lookedAtCredit(api, bankId)).status).toBe('credited');
    expect(await ibanBalance(client)).toBe('480.62 0.00'); // less 40 %, rounded down
  });

  it('of a payment in suspense is taken from suspense', async () => {
    const bankId = await pay({ iban: 'LT000000000000000000', amount: '801.01' });
    await lookedAtCredit(api, bankId);
    const id = await creditIdOf(api, bankId);
    api.clock.pass(6);
    expect((await lookedAtCredit(api, bankId)).status).toBe('recalled');
    expect(await bookedOn(api, id, 'suspense:EUR')).toBe(0);
    const open = await api.database.query('select 1 from breaks where subject = $1 and resolved_at is null', [
      id,
    ]);
    expect(open).toEqual([]);
  });
});

describe('the operator', () => {
  const use = (transferId: string, door: ResolutionKind, accountId?: string) =>
    api.database.transaction((tx) =>
      resolveSuspense(api.services, tx, {
        transferId,
        resolution: door,
        accountId,
        reason: 'a letter',
        decidedBy: 'operator:ada',
      }),
    );
  const suspended = async (amount: string) => {
    const bankId = await pay({ iban: 'LT000000000000000000', amount });
    await lookedAtCredit(api, bankId);
    return { bankId, id: await creditIdOf(api, bankId) };
  };

  it('returns a payment to its payer once', async () => {
    const { bankId, id } = await suspended('12.00');
    await use(id, 'return');
    await expect(use(id, 'return')).rejects.toMatchObject({ code: 'invalid_transition' });
    expect(await Promise.all([1, 2].map(() => lookedAtCredit(api, bankId)))).toMatchObject(
      Array(2).fill({ status: 'returned', open: false }),
    );
    expect(await bookedOn(api, id, 'suspense:EUR')).toBe(0);
    const returns = await api.database.query(
      "select key from sandbox_orders where party = 'bank' and asked->>'of' = $1",
      [bankId],
    );
    expect(returns).toHaveLength(1);
  });

  it.each([
    ['801.03', 6, 'fails at the bank'],
    ['801.04', 0, 'is refused by the bank'],
    ['801.06', 6, 'fails after its success'],
  ])('has %s EUR in suspense again when the return %3$s', async (amount, seconds) => {
    const { bankId, id } = await suspended(amount);
    await use(id, 'return');
    await lookedAtCredit(api, bankId);
    api.clock.pass(seconds);
    expect(await lookedAtCredit(api, bankId)).toMatchObject({ status: 'suspended', open: false });
    expect(await bookedOn(api, id, 'suspense:EUR')).toBe(Number(amount));
    await use(id, 'write_off');
    expect(await bookedOn(api, id, 'suspense:EUR')).toBe(0);
    expect(await bookedOn(api, id, 'losses:EUR')).toBe(Number(amount));
  });

  it('waits for a slow return', async () => {
    const { bankId, id } = await suspended('801.05');
    await use(id, 'return');
    expect(await lookedAtCredit(api, bankId)).toMatchObject({ status: 'suspended', open: true });
    await expect(use(id, 'write_off')).rejects.toMatchObject({ code: 'invalid_transition' });
    api.clock.pass(21);
    expect(await lookedAtCredit(api, bankId)).toMatchObject({ status: 'returned', open: false });
  });

  it('credits a payment to its owner, and recovers it after a recall', async () => {
    const { bankId, id } = await suspended('801.01');
    const accountId = await masterAccount(client, 'EUR');
    await use(id, 'credit', accountId);
    expect(await balanceOf(client, accountId)).toBe('801.01 0.00');
    api.clock.pass(6);
    await lookedAtCredit(api, bankId);
    expect(await bookedOn(api, id, 'suspense:EUR')).toBe(-801.01);
    await use(id, 'recover', accountId);
    expect(await balanceOf(client, accountId)).toBe('0.00 0.00');
    expect(await foldOf(api, accountId)).toBe('0.00');
    expect(await bookedOn(api, id, 'suspense:EUR')).toBe(0);
  });
});

describe('an unreadable word', () => {
  let server: Server;
  const credits = new Map<string, object>();
  const sandboxBank = () => api.services.parties.bank;
  let own: ReturnType<typeof sandboxBank>;
  beforeAll(async () => {
    own = sandboxBank();
    server = createServer(({ url = '' }, response) => {
      const known = credits.get(url.replace('/credits/', ''));
      const changes = [{ id: 7 }, null, ...[...credits.keys()].map((ref) => ({ id: `change-${ref}`, ref }))];
      const body = url.startsWith('/changes') ? { changes, next: 'end', more: false } : known;
      response.setHeader('content-type', 'application/json');
      response.writeHead(body ? 200 : 404).end(JSON.stringify(body ?? { code: 'not_found' }));
    }).listen(0);
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    api.services.parties.bank = createHttpBank({ baseUrl, secret: Buffer.from('s') });
  });
  afterAll(() => {
    api.services.parties.bank = own;
    server.close();
  });

  it('in the list or on a payment opens a break, and stops no other payment', async () => {
    const { iban } = await enabled(api, client);
    const sound = { iban, amount: '5.00', currency: 'EUR', recalls: [], returns: [] };
    const spoilt = {
      nothing: { ...sound, amount: '0' },
      below: { ...sound, amount: '-5.00' },
      fine: { ...sound, amount: '5.001' },
      coin: { ...sound, currency: 'XXQ' },
      shape: { iban },
    };
    for (const [id, credit] of Object.entries({ ...spoilt, sound })) credits.set(id, { id, ...credit });
    const reading = createReading(api.services, 'bank');
    for (let turns = 0; turns < 2; turns += 1) await reading.read();
    for (const bankId of credits.keys()) expect([bankId, told(bankId)]).toEqual([bankId, 1]);
    for (const bankId of Object.keys(spoilt))
      await expect(lookedAtCredit(api, bankId)).rejects.toThrow(OutcomeUnknown);
    expect((await lookedAtCredit(api, 'sound')).status).toBe('credited');
    expect(await ibanBalance(client)).toBe('5.00 0.00');
    for (const bankId of Object.keys(spoilt))
      expect([bankId, await openBreaks(bankId)]).toEqual([bankId, ['party_word_unreadable']]);
    expect(await openBreaks('bank')).toEqual(Array(2).fill('party_row_unreadable'));
    expect(
      await api.database.query(`select 1 from transfers where party_ref = any($1)`, [Object.keys(spoilt)]),
    ).toEqual([]);
  });

  it('is booked once it is readable', async () => {
    const { iban } = await enabled(api, client);
    credits.set('mended', { id: 'mended', iban, amount: '5.00' });
    await expect(lookedAtCredit(api, 'mended')).rejects.toThrow(OutcomeUnknown);
    expect(await openBreaks('mended')).toEqual(['party_word_unreadable']);
    credits.set('mended', { id: 'mended', iban, amount: '5.00', currency: 'EUR', recalls: [], returns: [] });
    expect((await lookedAtCredit(api, 'mended')).status).toBe('credited');
    expect(await openBreaks('mended')).toEqual([]);
  });

  it('is no loss of the booking, and a payment that the bank has forgotten has a break meanwhile', async () => {
    const { iban } = await enabled(api, client);
    credits.set('lost', { id: 'lost', iban, amount: '5.00', currency: 'EUR', recalls: [], returns: [] });
    await lookedAtCredit(api, 'lost');
    credits.delete('lost');
    expect((await lookedAtCredit(api, 'lost')).status).toBe('credited');
    expect(await ibanBalance(client)).toBe('5.00 0.00');
    const id = await creditIdOf(api, 'lost');
    expect(await openBreaks(id)).toEqual(['transfer_forgotten_by_party']);
    credits.set('lost', { id: 'lost', iban, amount: '5.00', currency: 'EUR', recalls: [], returns: [] });
    await lookedAtCredit(api, 'lost');
    expect(await openBreaks(id)).toEqual([]);
    credits.delete('lost');
    await lookedAtCredit(api, 'lost');
    expect(await openBreaks(id)).toEqual(['transfer_forgotten_by_party']);
  });
});
