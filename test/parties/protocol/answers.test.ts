/** @long */
import { OutcomeUnknown, PartyAway, PartyRefused, UnreadableAnswer } from '../../../src/process/party-errors';
import { ownPort } from '../../support/own-port';
import {
  ADAPTERS,
  type AdapterName,
  adaptersOf,
  json,
  MONEY_ADAPTERS,
  type Reply,
  scriptedParty,
  WORDS,
} from './scripted-party';

/** The meaning of answers (`meanings.ts`), which is the same for every adapter of our protocol. */

let party: Awaited<ReturnType<typeof scriptedParty>>;
beforeAll(async () => {
  party = await scriptedParty();
});
afterAll(() => party.close());

const thrown = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    (answer) => new Error(`it was answered: ${JSON.stringify(answer)}`),
    (error: Error) => error,
  );

const word = (code: string) => ({ code, message: code });
const html = (status: number): Reply => ({ status, body: '<html>' });

const asking = (reply: Reply) => (reply === 'silent' ? party.impatient : party.adapters);

/** A return or refund. */
function back() {
  return { id: 'r1', amount: '1', status: 'succeeded' };
}

describe.each(ADAPTERS)('an order to %s', (name) => {
  it.each<[Reply, new (...given: never[]) => Error]>([
    [json(422, word('account_closed')), PartyRefused],
    [json(400, word('amount_too_small')), PartyRefused],
    // In progress, or about the key: never a refusal, with any code.
    [json(409, word('idempotency_in_progress')), OutcomeUnknown],
    [json(409, word('account_closed')), OutcomeUnknown],
    [json(409, {}), OutcomeUnknown],
    [json(422, word('idempotency_mismatch')), OutcomeUnknown],
    [json(400, word('idempotency_key_invalid')), OutcomeUnknown],
    // A wrong address, credential or rate, which we can correct.
    [json(404, word('not_found')), PartyAway],
    [json(404, word('unknown_path')), PartyAway],
    [json(405, word('method_not_allowed')), PartyAway],
    [json(401, word('unauthorized')), PartyAway],
    [json(403, word('forbidden')), PartyAway],
    [html(401), PartyAway],
    [html(429), PartyAway],
    [json(503, word('unavailable')), PartyAway],
    // A proxy between us may have passed the request on.
    [html(404), OutcomeUnknown],
    [html(503), OutcomeUnknown],
    [html(422), OutcomeUnknown],
    [json(422, { message: 'no' }), OutcomeUnknown],
    [json(422, word('Mr Miller has moved')), OutcomeUnknown],
    [json(410, word('gone')), OutcomeUnknown],
    [json(413, word('too_large')), OutcomeUnknown],
    [json(500, word('oops')), OutcomeUnknown],
    [html(200), OutcomeUnknown],
    [json(201, {}), UnreadableAnswer],
    [json(201, null), UnreadableAnswer],
    [json(201, []), UnreadableAnswer],
    [json(201, { sessionId: 7, refundId: 7, key: 7, id: 7 }), UnreadableAnswer],
    ['break', OutcomeUnknown],
    ['silent', OutcomeUnknown],
  ])('interprets the answer %j', async (reply, kind) => {
    party.script.reply = reply;
    const error = await thrown(asking(reply)[name].order());
    expect([error.constructor, error.message]).toEqual([kind, expect.any(String)]);
  });

  it('was not given when the connection is refused', async () => {
    const nobody = adaptersOf(`http://127.0.0.1:${await ownPort()}`);
    expect((await thrown(nobody[name].order())).constructor).toBe(PartyAway);
  });
});

describe.each(ADAPTERS)('a read from %s', (name) => {
  it('returns the whole state', async () => {
    party.script.reply = json(200, WORDS[name]);
    expect(JSON.parse(JSON.stringify(await party.adapters[name].ask()))).toMatchObject(
      name === 'cards' || name === 'bank' ? { word: { version: 3 } } : { version: 3 },
    );
  });

  it('returns unknown_to_party when the party answers not_found', async () => {
    party.script.reply = json(404, word('not_found'));
    expect(await party.adapters[name].ask()).toBe('unknown_to_party');
  });

  it.each<[Reply]>([
    [json(404, word('unknown_path'))],
    [json(404, word('session_missing'))],
    [json(404, {})],
    [html(404)],
    [json(410, word('not_found'))],
    [json(422, word('not_found'))],
    [json(400, word('bad_request'))],
    [json(401, word('not_found'))],
    [json(409, word('busy'))],
    [json(500, word('oops'))],
    ['break'],
    ['silent'],
  ])('throws PartyAway on the answer %j', async (reply) => {
    party.script.reply = reply;
    expect((await thrown(asking(reply)[name].ask())).constructor).toBe(PartyAway);
  });

  it.each<[string, unknown]>([
    ['another record', { key: 'ref_2', id: 'ref_2', sessionId: 'ref_2' }],
    ['an unknown status', { status: 'lost', page: 'lost', amount: 'lost' }],
    ['a version that is none', { version: 'three' }],
  ])('rejects an answer with %s', (_, fields) => isNotReadAs(name, fields as object));
});

/** Expects that the adapter rejects the party's state with those fields. */
async function isNotReadAs(name: AdapterName, fields: object): Promise<void> {
  party.script.reply = json(200, { ...WORDS[name], ...fields });
  const error = await thrown(party.adapters[name].ask());
  expect(error).toBeInstanceOf(PartyAway);
}

describe.each(MONEY_ADAPTERS)('a read from %s', (name) => {
  it.each<[string, unknown]>([
    [
      'an amount below zero',
      {
        sent: '-1',
        moved: '-1',
        amount: '-1',
        payments: [payment({ amount: '-1' })],
        fills: [fill({ bought: '-1' })],
      },
    ],
    [
      'an amount that is a number',
      { sent: 1, moved: 1, amount: 1, payments: [payment({ amount: 1 })], fills: [fill({ sold: 1 })] },
    ],
    [
      'a part that stands twice',
      {
        returns: [back(), back()],
        recalls: [back(), back()],
        payments: [payment(), payment()],
        fills: [fill(), fill()],
      },
    ],
  ])('rejects an answer with %s', (_, fields) => isNotReadAs(name, fields as object));
});

function payment(given: object = {}) {
  return { id: 'p1', amount: '10.00', currency: 'EUR', status: 'settled', ...given };
}

function fill(given: object = {}) {
  return { id: 'f1', sold: '10.00', bought: '10.78', ...given };
}

describe('a state', () => {
  it.each([[{ currency: 'XXQ' }], [{ amount: '10.001' }], [{ amount: '500.5', currency: 'JPY' }]])(
    'is rejected with money that the ledger cannot hold: %j',
    async (money) => {
      party.script.reply = json(200, { ...WORDS.checkout, payments: [payment(money)] });
      expect(await thrown(party.adapters.checkout.ask())).toBeInstanceOf(PartyAway);
      party.script.reply = json(200, { ...WORDS.bank, ...money });
      expect(await thrown(party.adapters.bank.ask())).toBeInstanceOf(PartyAway);
    },
  );

  it.each([
    { last4: '424' },
    { last4: 'four' },
    { reference: '' },
    { reference: undefined },
    { expiryMonth: 13 },
    { expiryMonth: '12' },
    { expiryYear: 30 },
  ])('of an issued card is rejected with %j', (fields) => isNotReadAs('issuing', fields));

  it('of a review keeps a usable reason and drops any other', async () => {
    const reasonOf = async (reason: unknown) => {
      party.script.reply = json(200, { ...WORDS.review, status: 'rejected', reason });
      return ((await party.adapters.review.ask()) as { reason?: string }).reason;
    };
    expect(await reasonOf(' The document has expired. ')).toBe('The document has expired.');
    for (const other of ['', ' ', 'x'.repeat(501), 7, null, {}])
      expect([other, await reasonOf(other)]).toEqual([other, undefined]);
  });

  it.each(['payouts', 'cards', 'checkout', 'deals', 'withdrawals', 'tokenizations'] as const)(
    'of %s keeps a failure code that is a plain word, and drops any other',
    async (name) => {
      const failureOf = async (failureCode: unknown) => {
        party.script.reply = json(200, { ...WORDS[name], failureCode });
        const told = (await party.adapters[name].ask()) as unknown as Record<string, Record<string, unknown>>;
        return (told['word'] ?? told)['failureCode'];
      };
      expect(await failureOf('card_declined')).toBe('card_declined');
      expect(await failureOf(`a${'b'.repeat(63)}`)).toBe(`a${'b'.repeat(63)}`);
      for (const other of ['Mr Miller', 'Card_Declined', '_x', '', `a${'b'.repeat(64)}`, 7, null, {}])
        expect([other, await failureOf(other)]).toEqual([other, undefined]);
    },
  );

  it('is rejected for unreadable card secrets and for an unknown card', async () => {
    const { processor } = party;
    const secrets = { cardNumber: '4242424242424242', cvv: '123', expiryMonth: 12, expiryYear: 2030 };
    party.script.reply = json(200, secrets);
    expect(await processor.sensitive('card 1')).toEqual(secrets);
    expect(party.script.paths.at(-1)).toBe('GET /cards/card%201/sensitive');
    for (const wrong of [{ cardNumber: '4242 4242' }, { cvv: 123 }, { expiryYear: undefined }]) {
      party.script.reply = json(200, { ...secrets, ...wrong });
      expect(await thrown(processor.sensitive('card_1'))).toBeInstanceOf(PartyAway);
    }
    party.script.reply = json(404, word('not_found'));
    expect((await thrown(processor.sensitive('card_1'))).constructor).toBe(PartyAway);
  });

  it('of a card order that requires action comes with the page beside it', async () => {
    const waits = { ...WORDS.cards, status: 'requires_action', moved: '0' };
    party.script.reply = json(200, waits);
    expect(await thrown(party.adapters.cards.ask())).toBeInstanceOf(PartyAway);
    const actionUrl = 'https://bank.example/page/secret';
    party.script.reply = json(200, { ...waits, actionUrl });
    const answer = await party.adapters.cards.ask();
    expect(answer).toMatchObject({ actionUrl, word: { status: 'requires_action' } });
    expect(JSON.stringify((answer as { word: object }).word)).not.toContain('secret');
  });
});

describe.each(ADAPTERS)('the changes of %s', (name) => {
  const changes = (after: string | null = null) => party.adapters[name].changes(after);

  it('are read page by page', async () => {
    const rows = [
      { id: 'c1', ref: 'ref_1', version: 1 },
      { id: 'c2', ref: 'ref_2' },
    ];
    party.script.paths.length = 0;
    party.script.reply = json(200, { changes: rows, next: 'a b', more: true });
    expect(await changes()).toEqual({ changes: rows, unreadable: [], next: 'a b', more: true });
    party.script.reply = json(200, { changes: [], next: 'a b', more: false });
    expect(await changes('a b')).toEqual({ changes: [], unreadable: [], next: 'a b', more: false });
    expect(party.script.paths).toEqual(['GET /changes', 'GET /changes?after=a%20b']);
  });

  it('keep the cursor when nothing follows', async () => {
    party.script.reply = json(200, { changes: [], next: null, more: false });
    expect(await changes('p1')).toMatchObject({ next: 'p1', more: false });
    expect(await changes(null)).toMatchObject({ next: null, more: false });
    // A further page at the same cursor would be read for ever.
    party.script.reply = json(200, { changes: [], next: 'p1', more: true });
    expect(await changes('p1')).toMatchObject({ next: 'p1', more: false });
  });

  it('are read although some rows are unreadable', async () => {
    const readable = { id: 'c9', ref: 'ref_9', version: 2 };
    const rows = [
      { id: 'c1' },
      { id: 'c2', ref: 7 },
      { id: 'Mr Miller, 12 High Street', ref: '' },
      'Mr Miller',
      null,
      readable,
      { id: 'c3', ref: 'ref_3', version: 'new' },
    ];
    party.script.reply = json(200, { changes: rows, next: 'p2', more: true });
    const page = await changes();
    expect(page.changes).toEqual([readable, { id: 'c3', ref: 'ref_3' }]);
    expect(page.unreadable).toEqual([
      'c1: ref',
      'c2: ref',
      expect.stringMatching(/^sha256 [0-9a-f]{12}: ref$/),
      expect.stringMatching(/^sha256 [0-9a-f]{12}: row$/),
      expect.stringMatching(/^sha256 [0-9a-f]{12}: row$/),
    ]);
    expect(page.unreadable.join()).not.toMatch(/Miller|Street/);
    expect((await changes()).unreadable).toEqual(page.unreadable);
    expect([page.next, page.more]).toEqual(['p2', true]);
  });

  it.each<[Reply]>([
    [json(404, word('not_found'))],
    [json(400, word('invalid_cursor'))],
    [json(200, {})],
    [json(200, { changes: {}, next: 'a', more: false })],
    [json(200, { changes: [], next: 7, more: false })],
    [json(200, null)],
    [html(200)],
    ['break'],
  ])('throw PartyAway on the answer %j', async (reply) => {
    party.script.reply = reply;
    expect(await thrown(changes())).toBeInstanceOf(PartyAway);
  });
});
