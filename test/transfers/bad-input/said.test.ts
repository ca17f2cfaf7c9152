/** @long plays every malformed answer of every party. */
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { CallingParty } from '../../../src/kernel/outbox/queues';
import { UnreadableAnswer } from '../../../src/process/party-errors';
import { discover } from '../../../src/transfers/discover';
import { badWorld, books, callback, type Json, MAKE, type Made, openBreaks, type World } from './world';

/**
 * What a party says and cannot mean, in callbacks and answers: every party, every case. Each is a break, a metric and a line in
 * the log, and moves no money; and what is right afterwards is taken for what it is.
 */

let world: World;
beforeAll(async () => {
  world = await badWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
  await world.api.database.query('truncate breaks');
});
afterEach(async () => {
  expect(await checkLedger(world.api.database)).toEqual([]);
  expect(JSON.stringify(world.lines)).not.toContain('Miller');
});
afterAll(() => world.close());

const PARTIES: CallingParty[] = ['checkout', 'payouts', 'externalCards', 'bank', 'exchange'];

/** In the path, the party behind it, and what its message names the record by. */
const CALLBACKS: [string, CallingParty, string][] = [
  ['checkout', 'checkout', 'sessionId'],
  ['payouts', 'payouts', 'key'],
  ['iban-payouts', 'payouts', 'key'],
  ['external-cards', 'externalCards', 'key'],
  ['exchange', 'exchange', 'key'],
  ['bank', 'bank', 'creditId'],
  ['exchange', 'exchange', 'key'],
];

describe.each(CALLBACKS)('a callback of %s', (name, party, field) => {
  let made: Made;
  let before: unknown;
  beforeEach(async () => {
    made = await MAKE[party](world);
    before = await books(world);
    world.forget();
  });
  const message = (ref: unknown) => JSON.stringify({ id: `m-${Math.random()}`, [field]: ref });

  it('with a wrong signature is refused and shown', async () => {
    await world.api.database.query('truncate breaks');
    const commands = world.api.commands.length;
    // The break of a day is written once by a process.
    const isFirst = !shown.has(name);
    shown.add(name);
    expect(await callback(world, name, message(made.ref), Buffer.alloc(32, 1))).toBe(401);
    expect([world.observed, world.api.commands.length]).toEqual([[`${name} forged`], commands]);
    expect(world.lines).toEqual([expect.objectContaining({ party: name, count: 1 })]);
    if (isFirst) expect(await openBreaks(world, name)).toEqual(['callbacks_forged']);
    expect(await books(world)).toEqual(before);
  });

  it.each(['nonsense', 'null', '[]', '{"id":7}', '{"id":"Mr Miller"}'])(
    'that is signed and says %s is shown',
    async (body) => {
      expect(await callback(world, name, body)).toBe(400);
      expect(world.observed).toEqual([`${name} callback`]);
      expect(world.lines).toEqual([
        expect.objectContaining({ party: name, message: expect.stringMatching(/^sha256 [0-9a-f]{12}$/) }),
      ]);
      expect(await openBreaks(world, name)).toEqual(['callback_unreadable']);
      expect(await books(world)).toEqual(before);
    },
  );

  it('about what nobody knows is shown: at once where we alone give orders, else when the party has not known it for a day', async () => {
    const ref = `unknown-${name}`;
    expect(await callback(world, name, message(ref))).toBe(200);
    if (party === 'checkout' || party === 'bank') {
      expect([await discover(world.api.services, party, ref), world.observed]).toEqual(['open', []]);
      world.clock.pass(24 * 3_600);
      expect(await discover(world.api.services, party, ref)).toBe('missing');
      expect(await openBreaks(world, ref)).toEqual(['party_word_missing']);
    } else {
      expect(await openBreaks(world, ref)).toEqual(['party_order_unknown']);
    }
    expect(world.observed).toEqual([`${party} unknown_name`]);
    expect(world.lines).toEqual([expect.objectContaining({ party, what: 'unknown_name', ref })]);
    expect(await books(world)).toEqual(before);
  });
});

const shown = new Set<string>();

describe.each(PARTIES)('an answer of %s', (party) => {
  let made: Made;
  let right: Json;
  let before: unknown;
  beforeEach(async () => {
    made = await MAKE[party](world);
    right = world.party.words.get(made.ref) as Json;
    before = await books(world);
    world.forget();
  });
  const money = (fields: Json): Json => {
    const { amount = '100.00' } = fields;
    const payments = [{ id: 'p1', currency: 'USD', status: 'settled', ...fields, amount }];
    const fills = [{ id: 'f1', sold: amount, bought: amount }];
    return { sent: amount, moved: amount, amount, payments, fills, ...fields };
  };

  it.each<[string, Json]>([
    ['another record', { key: 'other', id: 'other', sessionId: 'other' }],
    ['an unknown status', { status: 'lost', page: 'lost', iban: 7 }],
    ['an amount with more decimals than its currency has', money({ amount: '100.001' })],
    ['an amount below zero', money({ amount: '-100.00' })],
    ['an amount that is a number', money({ amount: 100 })],
    ['an amount that no books hold', money({ amount: '1'.repeat(30) })],
    ['a version that is none', { version: 'Mr Miller' }],
    ['nothing of what it should', { version: 4, status: null, page: null, amount: null }],
  ])('about %s is shown, and asked for again', async (_, fields) => {
    await isShown(fields);
  });

  if (party === 'checkout' || party === 'bank')
    it('about money of a currency that there is not is shown, and asked for again', async () => {
      await isShown(money({ currency: 'XXQ' }));
    });

  async function isShown(fields: Json): Promise<void> {
    const { key, id, sessionId } = right;
    const wrong = { ...right, ...fields, version: fields['version'] ?? 4 };
    const own = 'sessionId' in fields ? {} : { key, id, sessionId };
    world.party.words.set(made.ref, { ...wrong, ...own });
    await expect(made.look()).rejects.toThrow(UnreadableAnswer);
    expect(await openBreaks(world, made.id)).toEqual(['party_word_unreadable']);
    expect(world.observed).toEqual([`${party} word`]);
    expect(world.lines).toEqual([expect.objectContaining({ party, id: made.id })]);
    expect(await books(world)).toEqual(before);
    world.party.words.set(made.ref, { ...right, version: 5 });
    await made.look();
    expect([await openBreaks(world, made.id), await books(world)]).toEqual([[], before]);
  }

  it('with a version that falls is dropped and shown, and asked for again', async () => {
    const nothing = { status: 'failed', sent: '0', moved: '0', payments: [], fills: [], page: 'expired' };
    const fallen =
      party === 'bank' ? { recalls: [{ id: 'r1', amount: '500.00', status: 'succeeded' }] } : nothing;
    world.party.words.set(made.ref, { ...right, ...fallen, version: 2 });
    await made.look();
    expect(await openBreaks(world, made.id)).toEqual(['party_version_fell']);
    expect(world.observed).toEqual([`${party} version`]);
    expect(world.lines).toEqual([expect.objectContaining({ party, id: made.id, version: 2, known: 3 })]);
    expect(await books(world)).toEqual(before);
    const [row] = await world.api.database.query<{ due: boolean }>(
      'select due_by is not null as due from transfers where id = $1',
      [made.id],
    );
    expect(row).toEqual({ due: true });
    world.party.words.set(made.ref, right);
    await made.look();
    expect([await openBreaks(world, made.id), await books(world)]).toEqual([[], before]);
  });
});

describe.each(PARTIES.filter((party) => party !== 'bank'))('an order at %s', (party) => {
  it.each<[string, unknown]>([
    ['nothing', {}],
    ['null', null],
    ['another record', { key: 'other', sessionId: 7, version: 3, status: 'sent', sent: '1', returns: [] }],
  ])('that is answered by %s is shown, and done once', async (_, body) => {
    const made = await MAKE[party](world, false);
    world.party.orderReply = { status: 201, body };
    const before = await books(world);
    world.forget();
    const known = world.party.words.size;
    await expect(made.look()).rejects.toThrow(UnreadableAnswer);
    expect(await openBreaks(world, made.id)).toEqual(['party_word_unreadable']);
    expect([world.observed, await books(world)]).toEqual([[`${party} word`], before]);
    await made.look();
    expect(await openBreaks(world, made.id)).toEqual([]);
    expect(world.party.words.size).toBe(known + 1);
  });
});
