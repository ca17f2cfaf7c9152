/** @long */
import { randomBytes, randomUUID } from 'node:crypto';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { refundDeposit } from '../../../src/transfers/deposits/decide';
import { accountBalance } from '../../cards/cards/support';
import {
  completed,
  created,
  type DepositWorld,
  depositWorld,
  fold,
  inShort,
  look,
  PATIENCE_MS,
  pay,
  payable,
  read,
  toldOf,
} from './support';

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
});
afterEach(async () => {
  world.double.faults.length = 0;
  world.patience(PATIENCE_MS);
  expect(await checkLedger(world.api.database)).toEqual([]);
});
afterAll(() => world.close());

const kept = () =>
  world.api.database.query<{
    party: string;
    outcome: string | null;
    body: Buffer;
    headers: object;
    handled: boolean;
  }>(
    `select party, outcome, body, headers, handled_at is not null as handled from provider_callbacks
      order by received_at, id`,
  );
async function forged(): Promise<number> {
  const [row] = await world.api.database.query<{ sum: string }>(
    `select coalesce(sum(count), 0) as sum from forged_callbacks where party = 'checkout'`,
  );
  return Number(row?.sum);
}
const commandsOf = (id: string) => world.api.commands.filter(({ args }) => args[0] === id);

describe('a callback', () => {
  it('is stored once, sealed and without its signature, and sends the signal', async () => {
    const { id, session } = await payable(world);
    const before = (await kept()).length;
    const callback = { id: randomUUID() };
    for (let times = 0; times < 3; times += 1)
      expect(await world.double.tell(world.api.url, session.sessionId, callback)).toBe(200);
    const [row, ...more] = (await kept()).slice(before);
    expect([more, row?.party, row?.outcome, row?.handled]).toEqual([[], 'checkout', 'told', true]);
    expect(row?.body.toString()).not.toContain(session.sessionId);
    expect(Object.keys(row?.headers ?? {})).not.toContain('x-provider-signature');
    expect(commandsOf(id).map(({ action }) => action)).toEqual(['start', 'look']);
  });

  it('has one effect when it comes many times at once', async () => {
    const { id, session } = await payable(world);
    const callback = { id: randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => world.double.tell(world.api.url, session.sessionId, callback)),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(commandsOf(id)).toHaveLength(2);
  });

  it.each([
    ['another secret', () => ({ secret: randomBytes(32) })],
    ['an old signature', () => ({ at: new Date(Date.now() - 6 * 60_000) })],
    ['a signature of the future', () => ({ at: new Date(Date.now() + 6 * 60_000) })],
  ])('with %s is refused, counted, and moves nothing', async (_, sent) => {
    const { id, session, accountId } = await payable(world);
    pay(session, {}, true);
    const before = { kept: await kept(), forged: await forged() };
    expect(await world.double.tell(world.api.url, session.sessionId, sent())).toBe(401);
    expect([await kept(), await forged()]).toEqual([before.kept, before.forged + 1]);
    expect(commandsOf(id)).toHaveLength(1);
    expect((await read(world.client, { id, accountId })).status).toBe('awaiting_payment');
  });

  it('names no party when it is refused', async () => {
    const answer = await fetch(`${world.api.url}/callbacks/checkout`, { method: 'POST', body: 'garbage' });
    expect([answer.status, Object.keys((await answer.json()) as object).sort()]).toEqual([
      401,
      ['code', 'message', 'requestId'],
    ]);
  });

  it('is not stored when its handling fails, so that the party sends it again', async () => {
    const { id, session } = await payable(world);
    const { commands } = world.api.services;
    const callback = { id: randomUUID() };
    world.api.services.commands = {
      ...world.api.services.commands,
      append: () => {
        throw new Error('no');
      },
    };
    const before = (await kept()).length;
    expect(await world.double.tell(world.api.url, session.sessionId, callback)).toBe(500);
    world.api.services.commands = commands;
    expect((await kept()).length).toBe(before);
    expect(await world.double.tell(world.api.url, session.sessionId, callback)).toBe(200);
    expect(commandsOf(id)).toHaveLength(2);
  });

  it('of an unknown session starts a search', async () => {
    const sessionId = `cs_${randomUUID()}`;
    await world.double.tell(world.api.url, sessionId);
    expect(world.api.commands.at(-1)).toMatchObject({
      workflow: 'checkoutPayment',
      args: [sessionId],
      action: 'look',
    });
  });

  it('is not in the OpenAPI document, and neither is the page', async () => {
    const { body } = await world.api.call('GET', '/openapi.json');
    expect(Object.keys(body.paths).filter((path) => /callback|checkout/.test(path))).toEqual([]);
  });
});

describe('faults of the party', () => {
  const faults = ['away', '500', 'after', 'slow'] as const;

  /** Repeats a step until it succeeds, as the workflow does. */
  async function lookUntilDone(id: string) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await look(world, id);
      } catch (error) {
        if (attempt === 20) throw error;
      }
    }
  }

  it.each(faults)('%s at every step leads to one page, one credit and one refund', async (fault) => {
    const { double, client } = world;
    if (fault === 'slow') world.patience(500);
    const { id, accountId } = await created(client);
    double.faults.push(fault, fault);
    await lookUntilDone(id);
    const session = double.session(id);
    double.faults.length = 0;
    expect((await read(client, { id, accountId })).status).toBe('awaiting_payment');
    expect(double.sessions().filter(({ asked }) => asked['depositId'] === id)).toHaveLength(1);

    pay(session);
    double.faults.push(fault);
    await lookUntilDone(id);
    pay(session, {}, true);
    double.faults.push(fault, fault);
    expect((await lookUntilDone(id)).status).toBe('completed');
    expect(await accountBalance(client, accountId)).toBe('96.80 0.00');

    await world.api.database.transaction((tx) =>
      refundDeposit(world.api.services, tx, { depositId: id, requestedBy: 'operator:ida' }),
    );
    double.faults.push(fault, fault, fault);
    expect((await lookUntilDone(id)).status).toBe('refunded');
    expect(session.refunds).toHaveLength(1);
    const told = await toldOf(world.api, client);
    expect(inShort(told)).toEqual([
      'deposit/checkout 96.80',
      'account.deposit.completed',
      'withdraw/deposit_refund 96.80',
      'account.deposit.refunded',
    ]);
    expect(fold(told).get(accountId)?.toFixed(2)).toBe('0.00');
  });

  it('many steps at once credit once', async () => {
    const { id, accountId, session } = await payable(world);
    pay(session, {}, true);
    await Promise.all(Array.from({ length: 10 }, () => look(world, id)));
    expect(await accountBalance(world.client, accountId)).toBe('96.80 0.00');
    expect(inShort(await toldOf(world.api, world.client))).toEqual([
      'deposit/checkout 96.80',
      'account.deposit.completed',
    ]);
  });

  it('no answer contains the party’s name, address or errors', async () => {
    const deposit = await completed(world);
    const { client } = world;
    const texts = [
      (await client.call('GET', `/v2/accounts/${deposit.accountId}/deposits`)).text,
      (await client.call('GET', `/v2/accounts/${deposit.accountId}/funding-options`)).text,
      JSON.stringify(await toldOf(world.api, client)),
    ].join();
    for (const word of ['pay.example', deposit.session.sessionId, world.double.url, 'stripe'])
      expect(texts).not.toContain(word);
  });
});
