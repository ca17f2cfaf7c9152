/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { Client, TestApi } from '../../support/api';
import { fund, masterAccount } from '../../support/cards';
import { until } from '../../support/until';
import {
  asked,
  balanceOf,
  breaksOf,
  type Clock,
  callback,
  driven,
  foldOf,
  freshKey,
  linesOf,
  looked,
  onClock,
  wrongSecret,
} from './support';

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

describe('a top-up from a payment card', () => {
  it('is created as pending, and credited less its fee when it completes', async () => {
    const { id, accountId, answer, show } = await asked(api, client, 'topup', 'tok_visa', {
      returnUrl: 'https://example.com/back',
    });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^ect_[0-9a-z]{26}$/),
      txId: answer.body.id,
      accountId,
      type: 'topup',
      status: 'pending',
      amount: '100.00',
      currency: 'USD',
      fee: '1.80',
      creditedAmount: '98.20',
      returnUrl: 'https://example.com/back',
      referenceId: id,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: answer.body.createdAt,
    });
    expect(api.commands.filter(({ args }) => args[0] === id)).toMatchObject([
      { workflow: 'externalCardTransfer', workflowId: `card-topup-${id}`, action: 'start' },
    ]);
    expect(await balanceOf(client, accountId)).toBe('500.00 0.00');
    expect(await driven(api, id)).toMatchObject({ status: 'completed', open: false, lookAt: null });
    expect(await show()).toMatchObject({ status: 'completed', completedAt: expect.any(String) });
    expect(await balanceOf(client, accountId)).toBe('598.20 0.00');
    expect(await linesOf(api, accountId)).toEqual(['deposit/card_topup 98.20']);
    expect(await foldOf(api, accountId)).toBe('598.20');
  });

  it('sends the webhook of its credit under the key of the call', async () => {
    const accountId = await masterAccount(client);
    const body = { amount: '10.00', paymentMethodToken: 'tok_visa' };
    const key = { 'x-idempotency-key': 'travels' };
    const path = `/v2/accounts/${accountId}/topup/card`;
    const first = await client.call('POST', path, body, key);
    const again = await client.call('POST', path, body, key);
    expect([again.text, again.headers.get('x-idempotent-replayed')]).toEqual([first.text, 'true']);
    await driven(api, first.body.id);
    expect(
      await api.database.query('select idempotency_key from events where reference_id = $1', [first.body.id]),
    ).toEqual([{ idempotency_key: 'travels' }]);
  });

  it('waits for its end with Prefer: wait', async () => {
    const accountId = await masterAccount(client);
    const begun = api.commands.length;
    const asking = client.call(
      'POST',
      `/v2/accounts/${accountId}/topup/card`,
      { amount: '10.00', paymentMethodToken: 'tok_visa' },
      { ...freshKey(), prefer: 'wait=20' },
    );
    // Callbacks of earlier transfers may add signals, but only this transfer has a start.
    const started = () => api.commands.slice(begun).find(({ action }) => action === 'start');
    while (!started()) await new Promise((resolve) => setTimeout(resolve, 10));
    await driven(api, String(started()?.args[0]));
    expect((await asking).body).toMatchObject({ status: 'completed' });
  });
});

describe('a withdrawal to a payment card', () => {
  it('is held, debited when the acquirer accepts it, and completed', async () => {
    const { id, accountId, answer, show } = await asked(api, client, 'withdrawal', 'tok_slow');
    expect(answer.body).toMatchObject({ status: 'pending', fee: '1.50', totalDebit: '101.50' });
    expect(await balanceOf(client, accountId)).toBe('398.50 101.50');
    expect(await looked(api, id)).toMatchObject({ status: 'processing', open: true });
    expect(await balanceOf(client, accountId)).toBe('398.50 0.00');
    expect(await linesOf(api, accountId)).toEqual([
      'withdraw/card_withdrawal -100.00',
      'fee/withdrawal_fee -1.50',
    ]);
    api.clock.pass(20);
    await driven(api, id);
    expect(await show()).toMatchObject({ status: 'completed' });
    expect(await balanceOf(client, accountId)).toBe('398.50 0.00');
  });

  it('is refused when the balance does not cover amount and fee', async () => {
    const accountId = await masterAccount(client);
    await fund(api, accountId, '100.00');
    const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
    const answer = await client.call('POST', `/v2/accounts/${accountId}/withdraw/card`, body, freshKey());
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([
      409,
      'insufficient_funds',
      'amount',
    ]);
    expect(await balanceOf(client, accountId)).toBe('100.00 0.00');
  });
});

describe('a token of the sandbox', () => {
  it.each([
    ['topup', 'tok_declined', 'failed', '500.00', []],
    ['topup', 'tok_unheard_of', 'failed', '500.00', []],
    ['topup', 'tok_slow_declined', 'failed', '500.00', []],
    ['topup', 'tok_timeout', 'completed', '598.20', []],
    ['topup', 'tok_mute', 'completed', '598.20', []],
    ['withdrawal', 'tok_insufficient_funds', 'failed', '500.00', []],
    ['withdrawal', 'tok_slow_declined', 'returned', '498.50', []],
    ['withdrawal', 'tok_3ds', 'completed', '398.50', []],
    ['withdrawal', 'tok_timeout', 'completed', '398.50', []],
  ] as const)('decides a %s with %s as %s', async (kind, token, status, balance, breaks) => {
    const { id, accountId, show } = await asked(api, client, kind, token);
    const lost = token === 'tok_timeout' ? 1 : 0;
    for (let times = 0; times < lost; times += 1)
      await expect(looked(api, id)).rejects.toThrow('the outcome is unknown');
    await driven(api, id);
    expect((await show()).status).toBe(status);
    expect(await balanceOf(client, accountId)).toBe(`${balance} 0.00`);
    expect(await foldOf(api, accountId)).toBe(balance);
    expect(await breaksOf(api, id)).toEqual(breaks);
    const [order] = await api.database.query('select calls from sandbox_orders where key = $1', [id]);
    expect(order).toEqual({ calls: 1 + lost });
  });

  it('charges a top-up back, even below zero, with breaks', async () => {
    const { id, accountId, show } = await asked(api, client, 'topup', 'tok_chargeback');
    await driven(api, id);
    await client
      .call(
        'POST',
        `/v2/accounts/${accountId}/withdraw/card`,
        { amount: '580.00', paymentMethodToken: 'tok_visa' },
        freshKey(),
      )
      .then(({ body }) => driven(api, body.id));
    expect(await balanceOf(client, accountId)).toBe('11.90 0.00');
    api.clock.pass(5);
    expect(await looked(api, id)).toMatchObject({ status: 'returned', open: false });
    expect(await looked(api, id)).toMatchObject({ status: 'returned', open: false });
    expect(await show()).toMatchObject({ status: 'returned', returnedAmount: '100.00' });
    expect(await balanceOf(client, accountId)).toBe('-86.30 0.00');
    expect(await foldOf(api, accountId)).toBe('-86.30');
    expect((await breaksOf(api, id)).sort()).toEqual([
      'external_card_chargeback 100',
      'transfer_below_zero -86.3',
    ]);
  });

  it('credits a top-up again after a won dispute', async () => {
    const { id, accountId, show } = await asked(api, client, 'topup', 'tok_chargeback_won');
    await driven(api, id);
    api.clock.pass(6);
    await looked(api, id);
    expect(await balanceOf(client, accountId)).toBe('500.00 0.00');
    api.clock.pass(6);
    await looked(api, id);
    expect((await show()).status).toBe('completed');
    expect(await linesOf(api, accountId)).toEqual([
      'deposit/card_topup 98.20',
      'withdraw/deposit_chargeback -98.20',
      'deposit/chargeback_reversed 98.20',
    ]);
  });

  it.each(['topup', 'withdrawal'] as const)(
    'undoes a %s that has not moved, with its fee and a break',
    async (kind) => {
      const { id, accountId, show } = await asked(api, client, kind, 'tok_undone');
      await driven(api, id);
      api.clock.pass(6);
      await looked(api, id);
      expect(await show()).toMatchObject({
        status: 'returned',
        returnedAmount: '100.00',
        failure: 'payment_reversed',
      });
      expect(await balanceOf(client, accountId)).toBe('500.00 0.00');
      expect(await foldOf(api, accountId)).toBe('500.00');
      expect(await breaksOf(api, id)).toEqual(['transfer_contradicted null']);
    },
  );

  it('returns a part in proportion', async () => {
    const topup = await asked(api, client, 'topup', 'tok_partial_return');
    await driven(api, topup.id);
    api.clock.pass(6);
    await looked(api, topup.id);
    expect(await balanceOf(client, topup.accountId)).toBe('558.92 0.00'); // 598.20 less 40 % of 98.20
    const withdrawal = await asked(api, client, 'withdrawal', 'tok_partial_return');
    await driven(api, withdrawal.id);
    api.clock.pass(6);
    await looked(api, withdrawal.id);
    expect(await withdrawal.show()).toMatchObject({ status: 'returned', returnedAmount: '40.00' });
    expect(await balanceOf(client, topup.accountId)).toBe('997.42 0.00'); // and 500 more, less 101.50, and 40
  });

  it('puts a late top-up into suspense, and debits a late withdrawal', async () => {
    const topup = await asked(api, client, 'topup', 'tok_late');
    expect((await driven(api, topup.id)).status).toBe('failed');
    const withdrawal = await asked(api, client, 'withdrawal', 'tok_late');
    expect((await driven(api, withdrawal.id)).status).toBe('failed');
    expect(await balanceOf(client, topup.accountId)).toBe('1000.00 0.00');
    api.clock.pass(6);
    for (const id of [topup.id, topup.id, withdrawal.id, withdrawal.id]) await looked(api, id);
    expect((await topup.show()).status).toBe('failed');
    expect((await withdrawal.show()).status).toBe('completed');
    expect(await balanceOf(client, topup.accountId)).toBe('898.50 0.00');
    expect(await breaksOf(api, topup.id)).toEqual(['transfer_suspense 100']);
    expect(await breaksOf(api, withdrawal.id)).toEqual(['transfer_contradicted null']);
    const [suspense] = await api.database.query(
      `select sum(available)::text as amount from ledger_legs where account_id = 'suspense:USD' and reference_id = $1`,
      [topup.id],
    );
    expect(suspense).toEqual({ amount: '100' });
  });
});

describe('confirmation by the payer', () => {
  async function confirming() {
    const topup = await asked(api, client, 'topup', 'tok_3ds', { returnUrl: 'https://example.com/back?x=1' });
    expect(await driven(api, topup.id)).toMatchObject({ status: 'requires_action', open: true });
    const { redirectUrl } = await topup.show();
    const way = await fetch(redirectUrl, { redirect: 'manual' });
    return { ...topup, redirectUrl: redirectUrl as string, way, page: way.headers.get('location') ?? '' };
  }
  const ASCII = 'https://example.com/%E4%B8%AD%E6%96%87';

  it.each(['given', 'stored before URLs were normalised'])(
    'redirects to a return URL beyond ASCII that was %s',
    async (way) => {
      const returnUrl = 'https://example.com/中文';
      const topup = await asked(api, client, 'topup', 'tok_3ds', { returnUrl });
      expect((await topup.show()).returnUrl).toBe(ASCII);
      if (way !== 'given')
        await api.database.query('update external_card_transactions set return_url = $2 where id = $1', [
          ...[topup.id, returnUrl],
        ]);
      await driven(api, topup.id);
      await api.database.query(
        `update sandbox_orders set state = state || jsonb_build_object('returnUrl', $2::text) where key = $1`,
        [...[topup.id, way === 'given' ? ASCII : returnUrl]],
      );
      const { redirectUrl } = await topup.show();
      const page = (await fetch(redirectUrl, { redirect: 'manual' })).headers.get('location') ?? '';
      const decided = await decide(page, 'confirm');
      expect([decided.status, decided.headers.get('location')]).toEqual([303, ASCII]);
      await driven(api, topup.id);
      const after = await fetch(redirectUrl, { redirect: 'manual' });
      expect([after.status, after.headers.get('location')]).toEqual([303, ASCII]);
    },
  );

  const decide = (page: string, decision: string) =>
    fetch(page, { method: 'POST', body: new URLSearchParams({ decision }), redirect: 'manual' });

  it('redirects from our address to the page, and completes after the confirmation', async () => {
    const { id, accountId, redirectUrl, way, page, show } = await confirming();
    expect(redirectUrl).toMatch(new RegExp(`^${api.url}/card-authentication/[\\w-]{43}$`));
    expect(way.status).toBe(303);
    const html = await (await fetch(page)).text();
    expect(html).toContain('100.00 USD');
    expect(html).toContain('to Test');
    expect(html.match(/<script/g)).toHaveLength(1); // that of the local time
    const decided = await decide(page, 'confirm');
    expect([decided.status, decided.headers.get('location')]).toEqual([303, 'https://example.com/back?x=1']);
    expect(await balanceOf(client, accountId)).toBe('500.00 0.00'); // the browser's return alone has no effect
    await decide(page, 'refuse'); // a second decision has no effect
    await driven(api, id);
    expect(await show()).toMatchObject({ status: 'completed' });
    expect(await show()).not.toHaveProperty('redirectUrl');
    expect(await balanceOf(client, accountId)).toBe('598.20 0.00');
    const after = await fetch(redirectUrl, { redirect: 'manual' });
    expect(after.headers.get('location')).toBe('https://example.com/back?x=1');
  });

  it.each(['refuse', 'nothing'])('fails when the payer decides: %s', async (decision) => {
    const { id, accountId, page, show } = await confirming();
    if (decision === 'nothing') api.clock.pass(1_801);
    else await decide(page, decision);
    await driven(api, id);
    expect(await show()).toMatchObject({
      status: 'failed',
      failure: decision === 'nothing' ? 'authentication_expired' : 'authentication_failed',
    });
    expect(await balanceOf(client, accountId)).toBe('500.00 0.00');
  });

  it('is a 404 for an unknown token', async () => {
    const answer = await api.call('GET', `/card-authentication/${'x'.repeat(43)}`);
    expect(answer.status).toBe(404);
  });
});

describe('callbacks', () => {
  it('send one signal each, and a forged one is only counted', async () => {
    const { id } = await asked(api, client, 'topup', 'tok_mute');
    const told = () => api.commands.filter(({ args, action }) => args[0] === id && action === 'look').length;
    expect((await callback(api, { id: 'm1', key: id })).status).toBe(200);
    expect((await callback(api, { id: 'm1', key: id })).status).toBe(200);
    expect(told()).toBe(1);
    expect((await callback(api, { id: 'm2', key: id }, wrongSecret)).status).toBe(401);
    expect((await callback(api, { id: 'm3', key: 'ect_unknown' })).status).toBe(200);
    expect(told()).toBe(1);
    expect(
      await api.database.query(
        `select external_id, outcome from provider_callbacks where party = 'external-cards'
          and external_id like 'm_' order by external_id`,
      ),
    ).toEqual([
      { external_id: 'm1', outcome: 'told' },
      { external_id: 'm3', outcome: 'unknown' },
    ]);
    expect(
      await api.database.query(`select count from forged_callbacks where party = 'external-cards'`),
    ).toEqual([{ count: '1' }]);
  });

  it('come from the sandbox’s acquirer', async () => {
    const { id } = await asked(api, client, 'topup', 'tok_stutter');
    await looked(api, id);
    const looks = () => api.commands.filter(({ args, action }) => args[0] === id && action === 'look').length;
    await until(() => looks() > 0);
  });
});

describe('a request', () => {
  const ask = async (given: Record<string, unknown>, headers: Record<string, string> = freshKey()) => {
    const accountId = await masterAccount(client);
    const body = { amount: '10.00', paymentMethodToken: 'tok_visa', ...given };
    const { status, body: answer } = await client.call(
      'POST',
      `/v2/accounts/${accountId}/topup/card`,
      body,
      headers,
    );
    return `${status} ${answer.code} ${answer.field}`;
  };

  it.each([
    [{ paymentMethodToken: '4242424242424242' }, 'paymentMethodToken'],
    [{ paymentMethodToken: '4242 4242 4242 4242' }, 'paymentMethodToken'],
    [{ paymentMethodToken: '4242-4242-4242-4242' }, 'paymentMethodToken'],
    [{ paymentMethodToken: '4242_4242.4242:4242' }, 'paymentMethodToken'],
    [{ paymentMethodToken: '378282246310005' }, 'paymentMethodToken'],
    [{ paymentMethodToken: '6304000000000000000' }, 'paymentMethodToken'],
    [{ paymentMethodToken: '' }, 'paymentMethodToken'],
    [{ paymentMethodToken: 'tok visa' }, 'paymentMethodToken'],
    [{ amount: 10 }, 'amount'],
    [{ amount: '10.001' }, 'amount'],
    [{ amount: '0' }, 'amount'],
    [{ returnUrl: 'http://example.com' }, 'returnUrl'],
    [{ returnUrl: 'javascript:alert(1)' }, 'returnUrl'],
    [{ returnUrl: 'https://user:secret@example.com' }, 'returnUrl'],
    [{ returnUrl: 'https://example.com/\n' }, 'returnUrl'],
    [{ cardNumber: '4242424242424242' }, 'cardNumber'],
  ])('is refused: %j', async (given, field) => {
    expect(await ask(given)).toBe(`400 invalid_request ${field}`);
  });

  it('requires a key, an amount within the limits, and an own account', async () => {
    expect(await ask({}, {})).toBe('400 idempotency_key_required x-idempotency-key');
    expect(await ask({ amount: '10000.01' })).toBe('409 limit_exceeded amount');
    expect(await ask({ returnUrl: 'http://127.0.0.1:1234/back' })).toMatch(/^202/);
    const other = await api.client();
    const { id, accountId } = await asked(api, client, 'topup', 'tok_visa');
    expect((await other.call('GET', `/v2/accounts/${accountId}/topup/${id}`)).status).toBe(404);
    expect((await client.call('GET', `/v2/accounts/${accountId}/withdraw/${id}`)).status).toBe(404);
    expect((await client.call('GET', `/v2/accounts/${accountId}/topup/none`)).status).toBe(404);
  });

  it('stores no card number, and seals the token', async () => {
    const { id } = await asked(api, client, 'topup', 'tok_declined');
    const [row] = await api.database.query<{ token: Buffer }>(
      'select token from external_card_transactions where id = $1',
      [id],
    );
    expect(row?.token.toString('latin1')).not.toContain('tok_');
  });
});
