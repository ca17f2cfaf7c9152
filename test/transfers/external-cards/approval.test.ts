import { checkLedger } from '../../../src/kernel/ledger/check';
import { setUserStatus } from '../../../src/people/users/operations';
import type { Client } from '../../support/api';
import { command, operatorEnvironment } from '../../support/operator';
import { asked, balanceOf, driven, looked, onClock } from './support';

let api: Awaited<ReturnType<typeof onClock>>;
let client: Client;
let environment: Record<string, string>;
beforeAll(async () => {
  api = await onClock();
  environment = await operatorEnvironment(api.database);
});
beforeEach(async () => {
  client = await api.client();
  await threshold('100.00');
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const operator = (...argv: string[]) => command(environment, ...argv);

async function threshold(amount: string): Promise<void> {
  const above = JSON.stringify([{ currency: 'USD', amount }]);
  const set = `externalCards.withdrawal.approvalAbove=${above}`;
  expect((await operator('client', 'settings', client.clientId, '--set', set)).code).toBe(0);
}

const statusOf = async (id: string) => {
  const rows = await api.database.query<{ status: string }>('select status from transfers where id = $1', [
    id,
  ]);
  return rows[0]?.status;
};
const told = async (id: string) => {
  const rows = await api.database.query<{ data: string }>(
    `select data from events where event = 'transfer.status_changed' and data::json->>'recordId' = $1 order by number`,
    [id],
  );
  return rows.map(({ data }) => {
    const { previousStatus, status } = JSON.parse(data) as Record<string, string>;
    return `${previousStatus} → ${status}`;
  });
};
const orders = async (id: string) => {
  const { parties } = api.services;
  return (await parties.externalCards.ask(id)) === 'unknown_to_party' ? 0 : 1;
};

it('a withdrawal above the threshold waits as pending with a hold, and is ordered after the approval', async () => {
  const { id, accountId, show, answer } = await asked(api, client, 'withdrawal', 'tok_visa');
  expect([answer.body.status, await statusOf(id)]).toEqual(['pending', 'pending_approval']);
  expect(await looked(api, id)).toMatchObject({ status: 'pending_approval', open: true });
  expect([(await show()).status, await orders(id), await balanceOf(client, accountId)]).toEqual([
    'pending',
    0,
    '398.50 101.50',
  ]);
  const listed = await operator('withdrawal', 'list');
  expect(listed.out).toMatch(new RegExp(`${id}.*${client.clientId}.*101.50 USD`));
  const preview = await operator('withdrawal', 'approve', id, '--preview', '--json');
  expect(JSON.parse(preview.out).effects).toEqual([
    { field: 'status', from: 'pending_approval', to: 'pending' },
    { field: 'ordered of the party', from: null, to: '100.00 USD' },
  ]);
  const approved = await operator('withdrawal', 'approve', id, '--reason', 'called them');
  expect([approved.code, approved.out]).toEqual([0, `${id} is pending.`]);
  expect((await driven(api, id)).status).toBe('completed');
  expect([await balanceOf(client, accountId), await told(id)]).toEqual([
    '398.50 0.00',
    ['pending → processing', 'processing → completed'],
  ]);
  const decisions = await api.database.query(
    'select kind, reason, decided_by from transfer_decisions where transfer_id = $1',
    [id],
  );
  expect(decisions).toEqual([{ kind: 'approve', reason: 'called them', decided_by: 'operator:ida' }]);
});

it('a rejected withdrawal fails, and its hold is released', async () => {
  const { id, accountId, show } = await asked(api, client, 'withdrawal', 'tok_visa');
  expect((await operator('withdrawal', 'reject', id)).code).toBe(2); // without a reason
  expect((await operator('withdrawal', 'reject', id, '--reason', 'No.')).out).toBe(`${id} is failed.`);
  expect(await show()).toMatchObject({ status: 'failed', failure: 'rejected' });
  expect([await balanceOf(client, accountId), await told(id)]).toEqual(['500.00 0.00', ['pending → failed']]);
  expect((await looked(api, id)).open).toBe(false);
  const late = await operator('withdrawal', 'approve', id);
  expect([late.code, late.err]).toEqual([4, 'A withdrawal that is failed cannot be approved.']);
  expect(await orders(id)).toBe(0);
});

it('a withdrawal at the threshold does not wait, and a top-up never waits', async () => {
  await threshold('101.50');
  const { id } = await asked(api, client, 'withdrawal', 'tok_visa');
  const topup = await asked(api, client, 'topup', 'tok_visa');
  expect([await statusOf(id), await statusOf(topup.id)]).toEqual(['pending', 'pending']);
  expect((await operator('withdrawal', 'approve', topup.id)).err).toBe('withdrawal not found.');
  expect((await operator('withdrawal', 'approve', id)).code).toBe(4);
});

it('the time for the confirmation starts after the approval', async () => {
  const { id, show } = await asked(api, client, 'withdrawal', 'tok_3ds_declined');
  api.clock.pass(3 * 24 * 60 * 60);
  await operator('withdrawal', 'approve', id);
  const ordered: Date[] = [];
  const { externalCards } = api.services.parties;
  api.services.parties.externalCards = {
    ...externalCards,
    order(kind, given) {
      ordered.push(given.expiresAt);
      return externalCards.order(kind, given);
    },
  };
  await driven(api, id);
  api.services.parties.externalCards = externalCards;
  expect((ordered[0]?.getTime() ?? 0) - Date.now()).toBeGreaterThan(1_790_000);
  expect((await show()).status).not.toBe('pending');
});

it('a withdrawal of a blocked user cannot be approved', async () => {
  const { body: user } = await client.call('POST', '/v1/users', {});
  const opened = await client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'USD' });
  const own = String(opened.body.id);
  const { accountId } = await asked(api, client, 'topup', 'tok_visa');
  await client.call('POST', '/v1/users/transfer', {
    fromAccountId: accountId,
    toAccountId: own,
    amount: '150.00',
  });
  const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
  const made = await client.call('POST', `/v2/accounts/${own}/withdraw/card`, body, {
    'x-idempotency-key': own,
  });
  const id = String(made.body.id);
  await api.database.transaction((tx) =>
    setUserStatus(api.services, tx, null, String(user.id), 'blocked', undefined),
  );
  expect(await operator('withdrawal', 'approve', id)).toMatchObject({ code: 4, err: 'The user is blocked.' });
  expect(await statusOf(id)).toBe('pending_approval');
});
