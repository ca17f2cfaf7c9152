/** @long */
import { authorizationFor, verifySignature } from '../../../src/parties/protocol/signature';
import { changeName } from '../../../src/parties/sandbox/change-name';
import {
  createSandboxParties,
  partyPath,
  partySecret,
  type SandboxParties,
} from '../../../src/parties/sandbox/mount';
import type { SandboxParty } from '../../../src/parties/sandbox/options';
import { until } from '../../support/until';
import {
  application,
  card,
  cardOrder,
  changesOf,
  credit,
  deal,
  payout,
  readAll,
  type SandboxWorld,
  sandboxWorld,
  screening,
  session,
  withdrawal,
} from './support';

/** Planned changes of the sandbox's parties are rows. They are listed and reported even if processes die. */

let world: SandboxWorld;
beforeAll(async () => {
  world = await sandboxWorld();
});
beforeEach(() => {
  world.shop.received.length = 0;
});
afterAll(() => world.close());

const pass = (seconds: number): void => {
  world.clock.at += seconds * 1000;
};
const calls = (path: string) => world.shop.at(path).length;

/** Another process of the same installation. */
function another(given: { now?: () => Date } = {}): SandboxParties {
  const { services } = world.api;
  return createSandboxParties({ ...services, ...given });
}

interface Row {
  number: string;
  at: Date;
  attempts: number;
  told: boolean;
  due: Date | null;
}

const rowsOf = (ref: string): Promise<Row[]> =>
  world.api.database.query<Row>(
    `select number, at, attempts, told_at is not null as told, next_attempt_at as due
       from sandbox_party_changes where ref = $1 order by at, number`,
    [ref],
  );

describe('the list of changes', () => {
  it.each([
    ...['checkout', 'payouts', 'external-cards'],
    ...['bank', 'exchange', 'card-processor', 'cardholder-review', 'screening'],
  ] as Exclude<SandboxParty, 'rates'>[])(
    'of %s continues from any cursor, in the order of time, without future changes',
    async (party) => {
      const place = {
        checkout: () => session(world, '700.07'),
        payouts: () => payout(world, '901.07'),
        'external-cards': () => cardOrder('topup')(world, 'tok_chargeback_won'),
        bank: () => credit(world, '801.01'),
        exchange: () => deal(world, '905.14'),
        'card-processor': () => card(world, 'sandbox:slow'),
        'cardholder-review': () => application(world, 'sandbox:slow'),
        screening: () => screening(world, 'bad002'),
      }[party];
      const read = changesOf(world, party);
      const start = (await readAll(read)).place;
      const refs = [];
      for (let n = 0; n < 4; n += 1) {
        refs.push((await place()).ref);
        pass(1);
      }
      const soon = await readAll(read, start);
      pass(30);
      const later = await readAll(read, soon.place);
      const all = [...soon.changes, ...later.changes];
      expect(later.changes.length).toBeGreaterThan(0);
      expect(await readAll(read, start)).toEqual({ changes: all, place: later.place });
      expect(await readAll(read, later.place)).toEqual({ changes: [], place: later.place });
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      for (const ref of refs) {
        const versions = all.filter((change) => change.ref === ref).map(({ version }) => version);
        expect(versions).toEqual(versions.map((_version, index) => index + 1));
      }
    },
  );

  it('has pages of any length, and refuses an unknown cursor', async () => {
    const { keyring } = world.api.services;
    const ask = async (query: string, secret = partySecret(keyring, 'payouts')) => {
      const url = `${world.api.url}${partyPath('payouts')}/changes${query}`;
      const response = await fetch(url, { headers: { authorization: authorizationFor(secret) } });
      return { status: response.status, body: (await response.json()) as any };
    };
    for (let n = 0; n < 5; n += 1) await payout(world, '100');
    pass(1);
    const whole = (await ask('?limit=500')).body;
    const pieces = [];
    for (let query = '?limit=2'; ; ) {
      const { body } = await ask(query);
      expect(body.changes.length).toBeLessThanOrEqual(2);
      pieces.push(...body.changes);
      if (!body.more) break;
      query = `?limit=2&after=${body.next}`;
    }
    expect(pieces).toEqual(whole.changes);
    expect((await ask('?limit=0')).body.changes).toHaveLength(1);
    expect((await ask('?limit=many')).status).toBe(200);
    expect(await ask('?after=17')).toMatchObject({ status: 400, body: { code: 'invalid_place' } });
    expect((await ask('', Buffer.alloc(32))).status).toBe(401);
  });

  it('drops planned changes when a decision replaces them', async () => {
    const { ref, page, word } = await session(world, '700.11');
    expect(await rowsOf(ref)).toHaveLength(3); // made, expires, pays itself
    const fields = new URLSearchParams({ action: 'cancel' });
    await fetch(page, { method: 'POST', body: fields, redirect: 'manual' });
    expect(await rowsOf(ref)).toHaveLength(2);
    expect(await word()).toMatchObject({ page: 'cancelled', version: 2 });
  });
});

describe('a callback', () => {
  it('is sent when it is due, signed, with the id of the change in the list', async () => {
    const { ref, path } = await session(world, '700.02');
    await until(() => calls(path) === 1);
    pass(19);
    const told = async () => (await rowsOf(ref)).map((row) => row.told).join();
    await until(async () => (await told()) === 'false,true,false'); // made; stored a moment after the arrival
    pass(1);
    await until(() => calls(path) === 2);
    const secret = partySecret(world.api.services.keyring, 'checkout');
    const listed = (await readAll(changesOf(world, 'checkout'))).changes.filter(
      (change) => change.ref === ref,
    );
    expect(world.shop.at(path).map(({ body }) => body)).toEqual(
      listed.slice(1).map(({ id }) => ({ id, sessionId: ref })), // the answer itself reports the creation
    );
    for (const { raw, headers } of world.shop.at(path))
      expect(verifySignature(raw, headers, { secret, now: new Date(world.clock.at) })).toBe(true);
  });

  it('is sent by another process when the one that planned it is gone', async () => {
    await world.api.services.sandboxParties.stop();
    const orders = [
      await session(world, '700.01'),
      await payout(world, '901.07'),
      await cardOrder('topup')(world, 'tok_chargeback'),
      await credit(world, '801.01'),
    ];
    pass(30);
    expect(orders.map(({ path }) => calls(path))).toEqual([0, 0, 0, 0]);
    const next = another();
    next.start();
    // Paid; completed and returned; accepted, succeeded and charged back; received and recalled.
    await until(() => [1, 2, 3, 2].every((count, index) => calls(orders[index]?.path ?? '') === count));
    const called = async () => {
      const rows = await Promise.all(orders.map(({ ref }) => rowsOf(ref)));
      return rows.flat().filter(({ attempts }) => attempts > 0);
    };
    // The result of a delivery is stored a moment later. A process that stops before would send it again.
    await until(async () => (await called()).every(({ told }) => told));
    await next.stop();
    expect((await called()).every(({ told, attempts, due }) => told && attempts === 1 && due === null)).toBe(
      true,
    );
    world.api.services.sandboxParties.start();
  });

  it('is sent again when a process dies during the delivery', async () => {
    await world.api.services.sandboxParties.stop();
    const { ref, path } = await session(world, '700.01');
    const dying = another();
    world.shop.answer(path, 'hang');
    dying.start();
    await until(() => calls(path) === 1);
    await dying.stop(); // aborts the delivery and stores no result
    expect(await rowsOf(ref)).toMatchObject([{ attempts: 0 }, { attempts: 1, told: false }]); // made, paid
    world.shop.answer(path, 204);
    world.api.services.sandboxParties.start();
    pass(31);
    await until(() => calls(path) === 2);
    await until(async () => (await rowsOf(ref)).at(-1)?.told === true);
  });

  it('is retried with growing pauses, and lost after the last attempt', async () => {
    const { ref, path, page } = await session(world, '100');
    world.shop.answer(path, 500);
    await fetch(page, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' });
    const pauses: number[] = [];
    for (let attempt = 1; ; attempt += 1) {
      await until(() => calls(path) === attempt);
      const paid = async () => (await rowsOf(ref)).at(-1) as Row;
      // Until the failure is stored, the lease decides when the callback is due.
      await until(async () => (await paid()).due?.getTime() !== world.clock.at + 20_000);
      const { due } = await paid();
      if (due === null) break;
      pauses.push((due.getTime() - world.clock.at) / 1000);
      pass(pauses.at(-1) as number);
    }
    expect(pauses).toEqual([1, 5, 30, 120, 600]);
    pass(86_400);
    expect((await rowsOf(ref)).at(-1)).toMatchObject({ attempts: 6, told: false, due: null });
  });

  it('is sent once by several processes', async () => {
    const others = [another(), another(), another()];
    for (const other of others) other.start();
    const orders = await Promise.all(Array.from({ length: 30 }, () => session(world, '700.01')));
    await until(() => orders.every(({ path }) => calls(path) > 0));
    await until(async () => {
      const rows = await Promise.all(orders.map(({ ref }) => rowsOf(ref)));
      return rows.every((changes) => changes.at(-1)?.told);
    });
    for (const other of others) await other.stop();
    expect(orders.map(({ path }) => calls(path))).toEqual(orders.map(() => 1));
  });

  it('does not block the others when it hangs', async () => {
    const slow = await session(world, '700.01');
    world.shop.answer(slow.path, 'hang');
    const quick = await session(world, '700.01');
    await until(() => calls(quick.path) === 1);
    world.shop.closeConnections();
  });

  it.each([
    ['payouts', '901.13', payout],
    ['external-cards', 'tok_mute', cardOrder('topup')],
    ['exchange', '905.17', deal],
    ['exchange', '901.13', withdrawal],
  ] as const)('is never sent by %s at %s, though the list has the changes', async (party, magic, place) => {
    const { ref, word } = await place(world, magic);
    pass(60);
    const rows = await rowsOf(ref);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.every(({ due, attempts }) => due === null && attempts === 0)).toBe(true);
    const listed = (await readAll(changesOf(world, party))).changes.filter((change) => change.ref === ref);
    expect(listed).toHaveLength((await word())['version']);
  });

  it.each([
    ['payouts', '901.12', payout],
    ['external-cards', 'tok_stutter', cardOrder('topup')],
    ['exchange', '905.16', deal],
    ['exchange', '901.12', withdrawal],
  ] as const)('of %s at %s is sent twice, with a forged one beside it', async (party, magic, place) => {
    const { ref, path } = await place(world, magic);
    pass(1);
    await until(async () => (await rowsOf(ref)).every(({ due }) => due === null));
    const told = (await rowsOf(ref)).filter((row) => row.told).map(({ number }) => changeName(number));
    expect(told.length).toBeGreaterThan(0);
    const secret = partySecret(world.api.services.keyring, party);
    const now = new Date(world.clock.at);
    // Deliveries run concurrently, so the calls of two changes may interleave.
    const received = world.shop.at(path).map(({ raw, headers }) => ({
      genuine: verifySignature(raw, headers, { secret, now }),
      body: raw.toString(),
    }));
    const bodies = (genuine: boolean) =>
      received.flatMap((call) => (call.genuine === genuine ? [call.body] : [])).sort();
    const message = (id: string) => JSON.stringify({ id, key: ref });
    expect(bodies(true)).toEqual(told.flatMap((id) => [message(id), message(id)]).sort());
    expect(bodies(false)).toEqual(told.map((id) => message(`${id}-forged`)).sort());
  });
});
