import { station } from '../../desk/every-decision/chain';
import { key, type Told } from '../../desk/support';
import type { Client } from '../../support/api';
import { activeCard } from '../../support/cards';
import { setAdminLimit, setLimits } from '../../support/operator';
import { BANK } from '../../transfers/exchange/withdrawals/support';
import { create, look } from '../../transfers/payouts/support';
import { approvalIn, type Insider, type Outcome, outcomeOf, underHerName } from './insider';
import { anotherName, ask } from './names';

type Try = (insider: Insider) => Promise<Outcome>;

const THIEF = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

/** A tenant with the settings of a live one, and money. */
async function rich({ world }: Insider): Promise<{ client: Client; accountId: string }> {
  const made = await world.funded('9000.00', 'EUR');
  const approvals = { aboveDaily: '500.00', currency: 'EUR', newDestinationHours: 24 };
  await world.api.database.query('update tenants set settings = settings || $2 where id = $1', [
    made.client.clientId,
    JSON.stringify({ approvals }),
  ]);
  return made;
}

/** A client with another secret. */
function as({ world }: Insider, client: Client, clientSecret: string): Client {
  const own = { 'x-client-id': client.clientId, 'x-client-secret': clientSecret };
  return {
    ...client,
    clientSecret,
    call: (method, path, body, headers) => world.api.call(method, path, body, { ...own, ...headers }),
  };
}

/** A tenant's credential, with a secret that the insider was shown. */
async function stolen(insider: Insider, client: Client): Promise<Client> {
  const { body } = await insider.decide('client.rotate-secret', client.clientId, { overlapSeconds: 0 });
  return as(insider, client, body.result.clientSecret);
}

/** Asks for a payout to a new destination, by whatever credential. */
async function payout({ world }: Insider, by: Client, accountId: string) {
  const asked = await create(by, accountId, { amount: '10.00' });
  expect([asked.status, asked.text]).toEqual([201, expect.anything()]);
  await look(world.api, asked.body.id);
  const { body } = await by.call('GET', `/v2/accounts/${accountId}/payouts/${asked.body.id}`);
  return body as { id: string; status: string; description?: string };
}

const restsIn = ({ status, description }: { status: string; description?: string }): Outcome => {
  expect([status, description]).toEqual(['pending_approval', expect.stringContaining('is new')]);
  return 'rests';
};

const settings = (insider: Insider, client: Client, set: string): Promise<Told> =>
  insider.decide('client.settings', client.clientId, { set: [set] });

async function credit({ world, admin, decide }: Insider, by: 'desk' | 'credential', amount: string) {
  const { accountId } = await world.funded('1.00');
  if (by === 'desk') return decide('account.deposit', accountId, { amount });
  return admin.call('POST', '/v1/accounts/admin-deposit', { accountId, amount, reason: 'x' }, key());
}

const AUTO = { autoSweep: true, maxGasPrice: '100', dailyGasBudget: '1' };

/** A gas station with a treasury, as two people have configured it. */
async function configured(insider: Insider, change: object = {}): Promise<void> {
  const { database } = insider.world.api;
  await setLimits(database, { dualControl: 'off' });
  await station(insider.world);
  const { status, text } = await gasConfig(insider, { autoSweep: false, ...change });
  expect([status, text]).toEqual([200, expect.anything()]);
  await setLimits(database, { dualControl: 'on' });
}

async function gasConfig({ admin }: Insider, change: object) {
  const path = '/v1/gas-station/config/local';
  const { version } = (await admin.call('GET', path)).body;
  return admin.call('PUT', path, { ...change, version });
}

async function network({ admin }: Insider, change: object) {
  const path = '/v1/networks/local';
  const { version } = (await admin.call('GET', path)).body;
  return admin.call('PUT', path, { ...change, version });
}

const destination = async (insider: Insider) => {
  const { clientId: client } = await insider.world.tenant();
  return insider.decide('destination.add', undefined, { client, currency: 'EUR', ...BANK });
};

/** Trials about money, and about the settings that decide where it goes. */
export const MONEY: Record<string, Try> = {
  async "rotates a tenant's secret"(insider) {
    const client = await insider.world.tenant();
    const told = await insider.decide('client.rotate-secret', client.clientId);
    const events = `select count(*)::int from events where event = 'client.secret_rotated' and tenant_id = $1`;
    expect(await insider.world.value(events, client.clientId)).toBe(1);
    return underHerName(insider, client.clientId, outcomeOf(told));
  },
  async "pays himself with a tenant's secret"(insider) {
    const { client, accountId } = await rich(insider);
    return restsIn(await payout(insider, await stolen(insider, client), accountId));
  },
  async "approves a payout that he asked for with a tenant's secret"(insider) {
    const { client, accountId } = await rich(insider);
    const thief = await stolen(insider, client);
    // A second rotation, by the stolen secret, hides nothing.
    const { body } = await thief.call('POST', '/v1/client/secret/rotate', { overlapSeconds: 0 });
    const { id } = await payout(insider, as(insider, client, body.clientSecret), accountId);
    return outcomeOf(await insider.decide('payout.approve', id));
  },
  async "lets his other name approve a payout that he asked for with a tenant's secret"(insider) {
    const { client, accountId } = await rich(insider);
    const { id } = await payout(insider, await stolen(insider, client), accountId);
    const other = await anotherName(insider, insider.world.ida, 'approver');
    const told = await ask(other, 'payout.approve', id);
    expect((await insider.approve(approvalIn(told))).status).toBe(409);
    return outcomeOf(told);
  },
  async 'pays himself with his own credential'(insider) {
    const { accountId } = await rich(insider);
    return restsIn(await payout(insider, insider.admin, accountId));
  },
  async 'approves a payout that he asked for with his own credential'(insider) {
    const { accountId } = await rich(insider);
    const { id } = await payout(insider, insider.admin, accountId);
    const told = await insider.decide('payout.approve', id);
    expect((await insider.approve(approvalIn(told))).status).toBe(409);
    const { bob } = insider.world;
    expect((await bob('POST', `approvals/${approvalIn(told)}/approve`, {}, key())).status).toBe(200);
    return outcomeOf(told);
  },
  async 'clears a payout that the screening party has left open'(insider) {
    const { world } = insider;
    const { client, accountId } = await world.funded('500.00', 'EUR');
    const destination = { chain: 'polygon', asset: 'USDT', address: `0x${'7'.repeat(34)}bad004` };
    const { body } = await create(client, accountId, { method: 'crypto', currency: 'USDT', destination });
    expect(await look(world.api, body.id)).toBe('processing');
    const told = await insider.decide('screening.clear', body.id);
    expect((await insider.approve(approvalIn(told))).status).toBe(409);
    return outcomeOf(told);
  },
  async 'pays a known destination in small parts'(insider) {
    const { accountId } = await rich(insider);
    const { id } = await payout(insider, insider.admin, accountId);
    const { world } = insider;
    await world.bob('POST', 'decisions/payout.approve', { subject: id, input: {} }, key());
    const statuses: string[] = [];
    for (let parts = 0; parts < 6; parts += 1) {
      const asked = await create(insider.admin, accountId, { amount: '90.00' });
      statuses.push(await look(world.api, asked.body.id));
    }
    expect(statuses.slice(0, 5)).toEqual(Array(5).fill('processing'));
    expect(statuses[5]).toBe('pending_approval');
    return 'waits';
  },
  async "raises a tenant's threshold"(insider) {
    const { client } = await rich(insider);
    return outcomeOf(await settings(insider, client, 'approvals.aboveDaily="9000000"'));
  },
  async 'approves the threshold that he raised'(insider) {
    const { client } = await rich(insider);
    const asked = await settings(insider, client, 'approvals.aboveDaily=null');
    return outcomeOf(await insider.approve(approvalIn(asked)));
  },
  async 'shortens the rest of new destinations'(insider) {
    const { client } = await rich(insider);
    return outcomeOf(await settings(insider, client, 'approvals.newDestinationHours=0'));
  },
  async 'credits an account above the limit at the desk'(insider) {
    await setAdminLimit(insider.world.api.database, '100000');
    return outcomeOf(await credit(insider, 'desk', '100000.01'));
  },
  async 'credits an account above the limit with his credential'(insider) {
    await setAdminLimit(insider.world.api.database, '100000');
    return outcomeOf(await credit(insider, 'credential', '100000.01'));
  },
  async 'credits an account in small parts, by both ways'(insider) {
    await setAdminLimit(insider.world.api.database, '1000000');
    const worth = `select coalesce(sum(worth), 0)::numeric(20, 2)::text from decided_alone where decided_by = 'operator:ida'`;
    const spent = Number(await insider.world.value(worth));
    await setAdminLimit(insider.world.api.database, String(spent + 100));
    expect(outcomeOf(await credit(insider, 'desk', '60.00'))).toBe('alone');
    return outcomeOf(await credit(insider, 'credential', '60.00'));
  },
  async 'approves the credit that he asked for'(insider) {
    await setAdminLimit(insider.world.api.database, '100000');
    const asked = await credit(insider, 'credential', '100000.01');
    return outcomeOf(await insider.approve(approvalIn(asked)));
  },
  async 'changes the limits of the installation'(insider) {
    const client = await insider.world.tenant();
    const told = await settings(insider, client, 'ADMIN_LIMIT=1');
    expect([told.status, told.body.message]).toEqual([400, expect.stringContaining('is no setting')]);
    return 'refused';
  },
  async 'adds a destination of the exchange'(insider) {
    const { body } = await destination(insider);
    const hours = (Date.parse(body.result.activeFrom) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    return 'rests';
  },
  async 'ends the rest of the destination that he added'(insider) {
    const { body } = await destination(insider);
    return outcomeOf(await insider.decide('destination.waive', body.result.id));
  },
  async 'lets his other name end the rest of the destination that he added'(insider) {
    const { body } = await destination(insider);
    const other = await anotherName(insider, insider.world.ida, 'waiver');
    return outcomeOf(await ask(other, 'destination.waive', body.result.id));
  },
  async 'changes the nodes of a network'(insider) {
    const { url } = insider.world.chain.chain;
    return outcomeOf(await network(insider, { rpcUrls: [`${url}/?thief`] }));
  },
  async 'lowers the confirmations of a network'(insider) {
    const told = await network(insider, { confirmations: 1 });
    expect(told.body.pending.at(-1)).toMatchObject({
      requestedBy: 'operator:ida',
      needs: 1,
      changes: [{ field: 'confirmations', from: '3', to: '1' }],
    });
    return outcomeOf(told);
  },
  async 'stops a network'(insider) {
    const told = await network(insider, { enabled: false });
    await network(insider, { enabled: true });
    return underHerName(insider, 'local', outcomeOf(told));
  },
  async 'names another treasury'(insider) {
    await configured(insider);
    return outcomeOf(await gasConfig(insider, { treasuryAddress: THIEF }));
  },
  async 'switches autoSweep on'(insider) {
    await configured(insider);
    return outcomeOf(await gasConfig(insider, AUTO));
  },
  async 'switches autoSweep off'(insider) {
    await configured(insider, AUTO);
    const told = await gasConfig(insider, { autoSweep: false });
    expect(told.body.autoSweep).toBe(false);
    return underHerName(insider, 'local', outcomeOf(told));
  },
  async 'raises the limits of a card'(insider) {
    const { world, admin } = insider;
    const { id } = await activeCard(world.api, await world.tenant());
    const path = `/v2/cards/${id}/limits`;
    const { version } = (await admin.call('GET', path)).body;
    const told = await admin.call('PUT', path, { perDay: '99999.00', version });
    return underHerName(insider, id, outcomeOf(told));
  },
};
