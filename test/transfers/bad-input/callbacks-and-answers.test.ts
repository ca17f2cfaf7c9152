/** @long plays every malformed answer of every party. */
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { CallingParty } from '../../../src/kernel/parties';
import { UnreadableAnswer } from '../../../src/process/party-errors';
import { discover } from '../../../src/transfers/discover';
import { badWorld, books, callback, type Json, MAKE, type Made, openBreaks, type World } from './world';

/**
 * Invalid callbacks and answers of each party. Each leads to a break, a metric and a log line, and moves no money. A
 * valid answer afterwards has its normal effect.
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

/** The callback path, its party, and the field that names the record. */
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

  it('with a wrong signature is refused, with a break', async () => {
    await world.api.database.query('truncate breaks');
    const commands = world.api.commands.length;
    // A process writes the break once a day.
    const isFirst = !shown.has(name);
    shown.add(name);
    expect(await callback(world, name, message(made.ref), Buffer.alloc(32, 1))).toBe(401);
    expect([world.observed, world.api.commands.length]).toEqual([[`${name} forged`], commands]);
    expect(world.lines).toEqual([expect.objectContaining({ party: name, count: 1 })]);
    if (isFirst) expect(await openBreaks(world, name)).toEqual(['callbacks_forged']);
    expect(await books(world)).toEqual(before);
  });

  it.each(['nonsense', 'null', '[]', '{"id":7}', '{"id":"Mr Miller"}'])(
    'that is signed and unreadable opens a break: %s',
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

  it('about an unknown record opens a break, after a day if money can come without an order', async () => {
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
    ['a negative amount', money({ amount: '-100.00' })],
    ['a number as amount', money({ amount: 100 })],
    ['an amount too large for the books', money({ amount: '1'.repeat(30) })],
    ['an invalid version', { version: 'Mr Miller' }],
    ['null in required fields', { version: 4, status: null, page: null, amount: null }],
  ])('with %s opens a break, and the party is asked again', async (_, fields) => {
    await isShown(fields);
  });

  if (party === 'checkout' || party === 'bank')
    it('with an unknown currency opens a break, and the party is asked again', async () => {
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

  it('with a lower version is dropped with a break, and the party is asked again', async () => {
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
    ['an empty object', {}],
    ['null', null],
    ['another record', { key: 'other', sessionId: 7, version: 3, status: 'sent', sent: '1', returns: [] }],
  ])('that is answered by %s opens a break, and is executed once', async (_, body) => {
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
