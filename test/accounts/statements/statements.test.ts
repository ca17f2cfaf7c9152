/** @long */
import fc from 'fast-check';
import { writeTogether } from '../../../src/kernel/db/writes';
import { openBook } from '../../../src/kernel/ledger/book';
import { checkLedger } from '../../../src/kernel/ledger/check';
import {
  ACCOUNT_EFFECTS,
  type AccountEffect,
  HOLD_EFFECTS,
  type HoldEffect,
} from '../../../src/kernel/ledger/effects';
import { accountEntry, type Entry, holdEntry, internalEntry } from '../../../src/kernel/ledger/entries';
import { Decimal, formatAmount, sumOf } from '../../../src/kernel/money/money';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard, fund, masterAccount, simulate } from '../../support/cards';
import { walk } from '../../support/histories';
import { credited, enabled, lookedAtCredit } from '../../transfers/iban/support';
import { lately, pathOf, post, reference, type StatementBody, soon, statementOf } from './support';

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

const sum = (texts: readonly { change: string }[]): Decimal =>
  sumOf(texts.map(({ change }) => ({ amount: new Decimal(change) })));

/** Checks the sums of a statement of any period. */
function expectExact(statement: StatementBody): void {
  const { openingBalance, closingBalance, lines, totals } = statement;
  const ends = (change: Decimal) => new Decimal(openingBalance).plus(change).eq(closingBalance);
  expect([ends(sum(lines)), ends(sum(totals))]).toEqual([true, true]);
  let running = new Decimal(openingBalance);
  for (const { change, balance } of lines) {
    running = running.plus(change);
    expect(balance).toBe(formatAmount(running, statement.currency));
  }
  expect(totals.reduce((count, total) => count + total.count, 0)).toBe(lines.length);
  const kind = ({ type, subtype = '' }: { type: string; subtype?: string }) => `${type}/${subtype}`;
  for (const total of totals)
    expect(sum(lines.filter((line) => kind(line) === kind(total))).eq(total.change)).toBe(true);
}

/** A random movement of an account, with its counterpart. Holds are no lines. */
function movement(account: string, name: AccountEffect | HoldEffect, cents: number): Entry[] {
  const amount = new Decimal(cents).div(100);
  const own = name in ACCOUNT_EFFECTS;
  const entry = own
    ? accountEntry(account, name as AccountEffect, amount, reference())
    : holdEntry(account, name as HoldEffect, amount, reference());
  const change = entry.available.plus(entry.pending);
  return change.isZero()
    ? [entry]
    : [entry, internalEntry('funding', 'USD', change.negated(), entry.reference)];
}

// Postgres refuses a release beyond the held amount, so random movements only hold, and take fees of the first hold.
const HOLDS = Object.keys(HOLD_EFFECTS).filter((name) => name.startsWith('pending/')) as HoldEffect[];
const NAMES = (Object.keys(ACCOUNT_EFFECTS) as AccountEffect[]).filter((name) => name !== 'fee/settle_fee');

describe('exactness', () => {
  it('sums up in any period, and periods chain at any cut, whatever was moved', async () => {
    const account = await masterAccount(client);
    await post(api, [account], [movement(account, 'pending/settle_fee', 100_000)]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...NAMES, ...HOLDS, 'fee/settle_fee' as const), fc.nat(1_000)), {
          minLength: 1,
          maxLength: 12,
        }),
        fc.array(fc.nat(10_000), { maxLength: 5 }),
        async (moves, cuts) => {
          for (const [name, cents] of moves) await post(api, [account], [movement(account, name, cents)]);
          const whole = await statementOf(client, account);
          expectExact(whole);
          // Cuts at the very times of entries, and between them. Holds alone make no line.
          const times = whole.lines.map(({ timestamp }) => new Date(timestamp).getTime());
          const cut = cuts.map((at) => (times[at % times.length] ?? Date.now()) + (at % 3) - 1);
          const edges = [
            ...new Set([new Date(whole.from).getTime(), ...cut, new Date(whole.to).getTime()]),
          ].sort((a, b) => a - b);
          const parts: StatementBody[] = [];
          for (const [index, from] of edges.slice(0, -1).entries()) {
            const to = edges[index + 1] ?? 0;
            const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
            parts.push(await statementOf(client, account, period));
          }
          for (const part of parts) expectExact(part);
          expect(parts.flatMap(({ lines }) => lines)).toEqual(whole.lines);
          expect(parts.map(({ closingBalance }) => closingBalance)).toEqual([
            ...parts.slice(1).map(({ openingBalance }) => openingBalance),
            whole.closingBalance,
          ]);
        },
      ),
      { numRuns: 15 },
    );
    const history = await walk(client, `/v1/accounts/${account}/transactions`);
    const { lines } = await statementOf(client, account);
    expect(lines.map(({ id, amount }) => [id, amount])).toEqual(
      history.map(({ id, amount }) => [id, amount]).reverse(),
    );
  }, 120_000);

  it('reads thousands of lines of one time in their order', async () => {
    const account = await masterAccount(client);
    const many = Array.from({ length: 2_500 }, () => movement(account, 'deposit/admin_deposit', 1));
    await post(api, [account], many);
    const whole = await statementOf(client, account);
    expectExact(whole);
    expect([whole.lines.length, whole.closingBalance]).toEqual([2_500, '25.00']);
    const at = whole.lines[0]?.timestamp ?? '';
    const [before, after] = [
      await statementOf(client, account, { to: at }),
      await statementOf(client, account, { from: at }),
    ];
    expect([before.lines.length, before.closingBalance]).toEqual([0, '0.00']);
    expect([after.lines.length, after.openingBalance]).toEqual([2_500, '0.00']);
  });

  it('waits for a movement that has its time and is not committed, so that a complete period never changes', async () => {
    const account = await masterAccount(client);
    const posted = { open: () => {} };
    const gate = new Promise<void>((resolve) => {
      posted.open = resolve;
    });
    let began = () => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const moving = api.database.transaction(async (tx) => {
      const book = await openBook(tx, [account]);
      book.post({ entries: movement(account, 'deposit/admin_deposit', 100) });
      await writeTogether(tx, [book.written()]);
      await tx.query('select 1');
      began();
      await gate;
    });
    await begun;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const to = new Date().toISOString();
    const read = statementOf(client, account, { to });
    const isRead = await Promise.race([
      read.then(() => true),
      new Promise((resolve) => setTimeout(resolve, 200)),
    ]);
    posted.open();
    await moving;
    expect(isRead).toBeUndefined();
    const statement = await read;
    expect([statement.complete, statement.closingBalance]).toEqual([true, '1.00']);
    expect((await statementOf(client, account, { from: to })).openingBalance).toBe('1.00');
  });
});

describe('each kind of account', () => {
  it('a master account, with settled fees and holds of authorizations', async () => {
    const card = await activeCard(api, client, '100.00');
    await fund(api, card.accountId, '50.00');
    const made = await simulate(client, { cardId: card.id, type: 'authorization', amount: '10.00' });
    await simulate(client, { cardId: card.id, type: 'settle', referenceId: made.body.referenceId });
    await simulate(client, { cardId: card.id, type: 'authorization', amount: '20.00' });
    const statement = await statementOf(client, card.accountId);
    expectExact(statement);
    const { balance } = (await client.call('GET', '/v1/accounts?limit=100')).body.data.find(
      ({ id }: { id: string }) => id === card.accountId,
    );
    const held = new Decimal(balance.available).plus(balance.pending);
    expect(statement.closingBalance).toBe(held.toFixed(2));
    expect(statement.totals.map(({ type, subtype }) => `${type}/${subtype}`)).toEqual(
      expect.arrayContaining(['deposit/admin_deposit', 'fee/settle_fee', 'transfer/card_deposit']),
    );
  });

  it('a card, with its events', async () => {
    const card = await activeCard(api, client, '100.00');
    await fund(api, card.accountId, '50.00');
    const made = await simulate(client, { cardId: card.id, type: 'authorization', amount: '10.00' });
    await simulate(client, { cardId: card.id, type: 'settle', referenceId: made.body.referenceId });
    await simulate(client, { cardId: card.id, type: 'decline', amount: '1.00' });
    const statement = await statementOf(client, card.id);
    expectExact(statement);
    const told = statement.lines.map(({ type, amount, change, balance }) => [type, amount, change, balance]);
    expect(told).toEqual([
      ['issue', '100.00', '100.00', '100.00'],
      ['authorization', '10.00', '0.00', '100.00'],
      ['settle', '10.00', '-10.00', '90.00'],
    ]);
    expect(statement.lines[0]).not.toHaveProperty('subtype');
    expect(statement.lines[1]?.id).toBe(made.body.id);
  });

  it("a user's account", async () => {
    const user = await client.call('POST', '/v1/users', { meta: {} });
    const { id } = (await client.call('POST', `/v1/users/${user.body.id}/accounts`, { currency: 'EUR' }))
      .body;
    await fund(api, id, '12.34');
    const statement = await statementOf(client, id);
    expectExact(statement);
    expect(statement).toMatchObject({
      accountId: id,
      currency: 'EUR',
      openingBalance: '0.00',
      closingBalance: '12.34',
    });
  });

  it('a virtual IBAN, whose lines name the remitter, also of a recall', async () => {
    const { id, iban } = await enabled(api, client);
    const remitter = { name: 'Łucja Жукова', iban: 'PL61109010140000071219812874' };
    const paid = { iban, mute: true };
    for (const given of [
      { ...paid, amount: '25.00', remitter },
      { ...paid, amount: '7.00' },
    ]) {
      const { status, body } = await client.call('POST', '/sandbox/iban-credits', given);
      expect(status).toBe(202);
      await lookedAtCredit(api, body.id);
    }
    await credited(api, id, '1.00');
    const statement = await statementOf(client, id);
    expectExact(statement);
    expect(statement.lines.map(({ balance, remitter: payer }) => [balance, payer])).toEqual([
      ['25.00', remitter],
      ['32.00', { name: 'Sandbox Payer' }],
      ['33.00', undefined],
    ]);
    const stored = await api.database.query<{ text: string }>(
      `select concat(t.terms, t.word, convert_from(decode(encode(r.remitter, 'hex'), 'escape'), 'LATIN1')) as text
         from transfers t left join iban_credit_remitters r on r.id = t.id where t.account_id = $1`,
      [id],
    );
    expect(stored.map(({ text }) => text).join()).not.toMatch(/Łucja|PL6110/);
  });
});

it('an account without entries', async () => {
  const statement = await statementOf(client, await masterAccount(client));
  expect(statement).toMatchObject({ openingBalance: '0.00', closingBalance: '0.00', lines: [], totals: [] });
  expect(statement.complete).toBe(false);
});

describe('refusals', () => {
  it('names every missing or wrong parameter', async () => {
    const account = await masterAccount(client);
    const path = `/v1/accounts/${account}/statement`;
    const { status, body } = await client.call('GET', path);
    expect([status, body.field]).toEqual([400, 'from']);
    expect(body.errors).toEqual([
      { field: 'from', message: 'from is required.' },
      { field: 'to', message: 'to is required.' },
    ]);
    const wrong = (await client.call('GET', `${path}?from=x&to=2026-01-01&format=xls`)).body;
    expect(wrong.errors.map(({ field }: { field: string }) => field)).toEqual(['from', 'format']);
    expect(wrong).toMatchObject(wrong.errors[0]);
  });

  it.each([
    ['an empty period', '2026-01-01', '2026-01-01'],
    ['a period backwards', '2026-01-02', '2026-01-01'],
    ['more than 366 days', '2026-01-01', '2027-01-02T00:00:00.001Z'],
  ])('%s', async (_name, from, to) => {
    const { status, body } = await client.call('GET', pathOf(await masterAccount(client), { from, to }));
    expect([status, body.code, body.field, body.errors]).toEqual([
      ...[400, 'invalid_request', 'to'],
      [{ field: 'to', message: body.message }],
    ]);
  });

  it('takes 366 days', async () => {
    const period = { from: '2024-01-01', to: '2025-01-01' };
    expect((await client.call('GET', pathOf(await masterAccount(client), period))).status).toBe(200);
  });

  it('another tenant’s account of each kind is 404, and an admin’s reading is audited', async () => {
    const card = await activeCard(api, client);
    const { id } = await enabled(api, client);
    const other = await api.client();
    const period = { from: lately(), to: soon() };
    for (const each of [card.accountId, card.id, id, 'acc_nonsense'])
      expect([each, (await other.call('GET', pathOf(each, period))).status]).toEqual([each, 404]);
    // An id that does not exist comes before a rule across fields.
    expect((await other.call('GET', pathOf(id, { from: period.to, to: period.from }))).status).toBe(404);
    const admin = await api.client('admin');
    expect((await statementOf(admin, id)).accountId).toBe(id);
    const audited = await api.database.query(
      `select actor, tenant_id from audit_log where action = 'accounts.statement' and subject = $1`,
      [id],
    );
    expect(audited).toEqual([{ actor: admin.clientId, tenant_id: client.clientId }]);
  });
});
