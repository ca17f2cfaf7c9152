/** @long */
import { closeOverdue, sendCode } from '../../../src/cards/challenges/send';
import { tell } from '../../../src/desk/tell';
import { deskCatalogue } from '../../../src/desk-catalogue';
import { sealedEmail } from '../../../src/people/cardholders/email';
import { requireUser } from '../../../src/people/users/operations';
import { type Client, type TestApi, testApi } from '../../support/api';
import { type NetworkCard, networkCard, nextName } from '../processor/support';
import {
  challengeOf,
  mailsOf,
  newestCode,
  readChallenge,
  send,
  sendPresentCode,
  sentChallenge,
  tellChallenge,
  wrongCode,
} from './support';

let api: TestApi;
let client: Client;
let card: NetworkCard;
/** Milliseconds by which the product's clock is ahead. */
let ahead = 0;
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + ahead) });
});
beforeEach(async () => {
  ahead = 0;
  client = await api.client();
  card = await networkCard(api, client);
});
afterAll(() => api.close());

const statusOf = async (challengeId: string) => (await readChallenge(api, challengeId)).body.status;
const verify = (challengeId: string, code: string, given = {}) =>
  tellChallenge(api, 'verify', challengeId, { code, ...given });

describe('a challenge', () => {
  it('is accepted, mailed, approved by its code, and read by the processor', async () => {
    const message = challengeOf(card);
    const answer = await send(api, message);
    expect(answer.body).toEqual({
      accepted: true,
      maskedDestination: expect.stringMatching(/^u\*\*\*@example\.com$/),
    });
    expect(await statusOf(message.challengeId)).toBe('sending');
    expect(await sendPresentCode(api, message.challengeId)).toBe('sent');
    const [mail] = await mailsOf(client);
    expect(mail.subject).toBe('Your code for a payment by card from Test');
    expect(mail.text).toContain('Bookshop asks for $60.00 from your card ending in 4242.');
    const code = await newestCode(client);
    expect(await verify(message.challengeId, code)).toEqual({ result: 'approved', triesLeft: 3 });
    expect((await readChallenge(api, message.challengeId)).body).toEqual({
      challengeId: message.challengeId,
      status: 'approved',
      amount: '60.00',
      currency: 'USD',
      triesLeft: 0,
      codesSent: 1,
      expiresAt: message['expiresAt'],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  it('fails after three wrong codes, and then refuses the right code', async () => {
    const id = await sentChallenge(api, card);
    const code = await newestCode(client);
    expect(await verify(id, wrongCode(code))).toEqual({ result: 'failed', triesLeft: 2 });
    expect(await verify(id, 'abc')).toEqual({ result: 'failed', triesLeft: 1 });
    expect(await verify(id, wrongCode(code, 2))).toEqual({ result: 'failed', triesLeft: 0 });
    expect(await verify(id, code)).toEqual({ result: 'failed', triesLeft: 0 });
    expect(await statusOf(id)).toBe('failed');
    expect(await tellChallenge(api, 'resend', id)).toEqual({ accepted: false, reason: 'failed' });
  });

  it('accepts at most three of 10,000 concurrent guesses', async () => {
    const id = await sentChallenge(api, card);
    const code = await newestCode(client);
    const guesses = await Promise.all(
      Array.from({ length: 200 }, (_, by) =>
        send(api, {
          messageId: nextName('guess'),
          type: 'challenge.verify',
          challengeId: id,
          code: wrongCode(code, by + 1),
        }),
      ),
    );
    expect(guesses.filter(({ body }) => body.result === 'approved')).toEqual([]);
    expect(guesses.filter(({ status, body }) => status === 200 && body.triesLeft > 0)).toHaveLength(2);
    expect(await verify(id, code)).toEqual({ result: 'failed', triesLeft: 0 });
  });

  it('expires with its code after five minutes', async () => {
    const id = await sentChallenge(api, card);
    const code = await newestCode(client);
    ahead = 300_000;
    expect(await statusOf(id)).toBe('expired');
    expect(await verify(id, code)).toEqual({ result: 'expired', triesLeft: 0 });
  });

  it('is cancelled by the processor, and its code becomes invalid', async () => {
    const id = await sentChallenge(api, card);
    const code = await newestCode(client);
    expect(await tellChallenge(api, 'cancel', id)).toEqual({ status: 'cancelled' });
    expect(await tellChallenge(api, 'cancel', id)).toEqual({ status: 'cancelled' });
    expect(await verify(id, code)).toEqual({ result: 'cancelled', triesLeft: 0 });
    expect(await tellChallenge(api, 'resend', id)).toEqual({ accepted: false, reason: 'cancelled' });
  });

  it('is not approved by the code of another challenge', async () => {
    const first = await sentChallenge(api, card);
    const ofFirst = await newestCode(client);
    const second = await sentChallenge(api, card);
    expect(await verify(second, ofFirst)).toEqual({ result: 'failed', triesLeft: 2 });
    expect(await verify(first, ofFirst)).toMatchObject({ result: 'approved' });
  });

  it('is approved again by the same code under a new message, because the first answer may have been lost', async () => {
    const id = await sentChallenge(api, card);
    const code = await newestCode(client);
    await verify(id, code);
    expect(await verify(id, code)).toEqual({ result: 'approved', triesLeft: 3 });
    expect(await verify(id, wrongCode(code))).toEqual({ result: 'failed', triesLeft: 2 });
    expect(await statusOf(id)).toBe('approved');
  });
});

it('has a story at the desk, without its code', async () => {
  const id = await sentChallenge(api, card);
  const code = await newestCode(client);
  const [row] = await api.database.query<{ id: string }>(
    'select id from card_challenges where challenge_id = $1',
    [id],
  );
  const story = await tell(deskCatalogue(api.services), api.services, { id: row!.id, limit: 20 });
  expect(story).toMatchObject({
    what: 'challenge',
    status: 'sent',
    workflowId: `challenge-code-${row!.id}-1`,
    record: { challengeId: id, cardId: card.id, amount: '60.00', merchant: { name: 'Bookshop' } },
  });
  expect(JSON.stringify(story)).not.toContain(code);
});

describe('a resend', () => {
  it('invalidates the former code, and is possible three times', async () => {
    const id = await sentChallenge(api, card);
    const first = await newestCode(client);
    for (let sent = 2; sent <= 4; sent += 1) {
      expect(await tellChallenge(api, 'resend', id)).toMatchObject({ accepted: true });
      expect(await sendPresentCode(api, id)).toBe('sent');
    }
    expect(await mailsOf(client)).toHaveLength(4);
    expect(await tellChallenge(api, 'resend', id)).toEqual({ accepted: false, reason: 'too_many_resends' });
    expect(await verify(id, first)).toEqual({ result: 'failed', triesLeft: 2 });
    expect(await verify(id, await newestCode(client))).toMatchObject({ result: 'approved' });
  });

  it('renews an expired code while the processor waits, with the remaining tries', async () => {
    const id = await sentChallenge(api, card);
    await verify(id, wrongCode(await newestCode(client)));
    ahead = 400_000;
    expect(await statusOf(id)).toBe('expired');
    expect(await tellChallenge(api, 'resend', id)).toMatchObject({ accepted: true });
    await sendPresentCode(api, id);
    expect(await verify(id, await newestCode(client))).toEqual({ result: 'approved', triesLeft: 2 });
    ahead = 600_001;
    const late = await sentChallenge(api, card, {
      expiresAt: new Date(Date.now() + ahead + 60_000).toISOString(),
    });
    ahead += 60_000;
    expect(await tellChallenge(api, 'resend', late)).toEqual({ accepted: false, reason: 'expired' });
  });

  it('is not marked as sent by the mail of the former code', async () => {
    const message = challengeOf(card);
    await send(api, message);
    const { database } = api.services;
    const [row] = await database.query<{ id: string }>(
      'select id from card_challenges where challenge_id = $1',
      [message.challengeId],
    );
    // The mail is sent while the processor requests another code.
    const slow: typeof api.services = {
      ...api.services,
      parties: {
        ...api.services.parties,
        mail: {
          configured: true,
          async send(mail) {
            await tellChallenge(api, 'resend', message.challengeId);
            await api.services.parties.mail.send(mail);
          },
        },
      },
    };
    expect(await sendCode(slow, row!.id, 1)).toBe('sending');
    expect(await sendCode(api.services, row!.id, 1)).toBe('sending');
    expect(await sendCode(api.services, row!.id, 2)).toBe('sent');
    expect(await mailsOf(client)).toHaveLength(2);
  });
});

describe('mail', () => {
  const cardOf = async (name: string) => {
    const email = `${name}@${nextName('host')}.example.com`;
    const made = await networkCard(api, client);
    await client.call('PATCH', `/v1/users/${made.userId}`, { meta: { email } });
    const sealed = sealedEmail(api.services, await requireUser(api.database, null, made.userId), email);
    const change = 'update cardholders set email_sealed = $2 where id = $1';
    await api.database.query(change, [made.cardholderId, sealed]);
    return made;
  };

  it('that cannot be sent makes a challenge unavailable after a minute, by time alone', async () => {
    const away = await cardOf('mail-away');
    const message = challengeOf(away);
    expect((await send(api, message)).body.accepted).toBe(true);
    await expect(sendPresentCode(api, message.challengeId)).rejects.toThrow('the mail server is away');
    ahead = 59_000;
    expect(await statusOf(message.challengeId)).toBe('sending');
    ahead = 60_500;
    expect(await statusOf(message.challengeId)).toBe('unavailable');
    expect(await verify(message.challengeId, '123456')).toEqual({ result: 'expired', triesLeft: 0 });
    // No mail follows later, because the payer is gone.
    expect(await sendPresentCode(api, message.challengeId)).toBe('unavailable');
    expect(await mailsOf(client)).toEqual([]);
  });

  it('that the server refuses makes a challenge unavailable at once', async () => {
    const message = challengeOf(await cardOf('mail-refused'));
    await send(api, message);
    expect(await sendPresentCode(api, message.challengeId)).toBe('unavailable');
  });

  it('is the same mail at each attempt', async () => {
    const message = challengeOf(card);
    await send(api, message);
    const [row] = await api.database.query<{ id: string }>(
      'select id from card_challenges where challenge_id = $1',
      [message.challengeId],
    );
    // The answer to the first attempt is lost before it is recorded.
    const sent: unknown[] = [];
    const lost = {
      ...api.services,
      parties: {
        ...api.services.parties,
        mail: {
          configured: true,
          async send(mail: Parameters<typeof api.services.parties.mail.send>[0]) {
            sent.push(mail);
            await api.services.parties.mail.send(mail);
            if (sent.length === 1) throw new Error('the answer was lost');
          },
        },
      },
    };
    await expect(sendCode(lost, row!.id, 1)).rejects.toThrow('lost');
    expect(await sendCode(lost, row!.id, 1)).toBe('sent');
    expect(sent[1]).toEqual(sent[0]);
    expect(await mailsOf(client)).toHaveLength(1);
  });

  it('is recorded as unsent by the workflow after the time limit', async () => {
    const message = challengeOf(await cardOf('mail-away'));
    await send(api, message);
    ahead = 61_000;
    const [row] = await api.database.query<{ id: string }>(
      'select id from card_challenges where challenge_id = $1',
      [message.challengeId],
    );
    expect(await closeOverdue(api.services, row!.id)).toBe('unavailable');
    expect(await api.database.query('select status from card_challenges where id = $1', [row!.id])).toEqual([
      { status: 'unavailable' },
    ]);
  });
});

describe('a challenge that is not accepted', () => {
  const refusal = async (given: Record<string, unknown>) => (await send(api, challengeOf(card, given))).body;

  it('for an unknown card', async () => {
    expect(await refusal({ cardReference: 'nobody' })).toEqual({ accepted: false, reason: 'unknown_card' });
  });

  it('that has ended before it arrives', async () => {
    expect(await refusal({ expiresAt: new Date(Date.now() - 1).toISOString() })).toEqual({
      accepted: false,
      reason: 'expired',
    });
  });

  it('for a card that cannot pay', async () => {
    await client.call('POST', `/v1/cards/${card.id}/freeze`);
    expect(await refusal({})).toEqual({ accepted: false, reason: 'card_not_active' });
  });

  it('for a blocked user', async () => {
    await client.call('PATCH', `/v1/users/${card.userId}/status`, { status: 'blocked' });
    expect(await refusal({})).toEqual({ accepted: false, reason: 'user_blocked' });
  });

  it('for a cardholder without an address', async () => {
    await api.database.query(`update cardholders set masked_email = '' where id = $1`, [card.cardholderId]);
    expect(await refusal({})).toEqual({ accepted: false, reason: 'no_address' });
  });

  it('for the eleventh time on a card in a day', async () => {
    for (let made = 0; made < 10; made += 1) expect(await refusal({})).toMatchObject({ accepted: true });
    expect(await refusal({})).toEqual({ accepted: false, reason: 'too_many_challenges' });
    ahead = 86_400_000;
    expect(await refusal({ expiresAt: new Date(Date.now() + ahead + 60_000).toISOString() })).toMatchObject({
      accepted: true,
    });
  });

  it('under a known id', async () => {
    const { challengeId } = challengeOf(card);
    expect(await refusal({ challengeId })).toMatchObject({ accepted: true });
    expect(await refusal({ challengeId })).toEqual({ accepted: false, reason: 'challenge_known' });
  });

  it('sends nothing and changes nothing', async () => {
    const before = api.commands.length;
    await refusal({ cardReference: 'nobody' });
    await refusal({ expiresAt: new Date(0).toISOString() });
    expect(api.commands.length).toBe(before);
  });
});

describe('a message', () => {
  it('gets the same answer for ever, whatever code its repeat has', async () => {
    const id = await sentChallenge(api, card);
    const code = await newestCode(client);
    const messageId = nextName('repeated');
    const first = await send(api, { messageId, type: 'challenge.verify', challengeId: id, code });
    const repeat = await send(api, {
      messageId,
      type: 'challenge.verify',
      challengeId: id,
      code: wrongCode(code),
    });
    expect(repeat.text).toBe(first.text);
    expect(repeat.headers.get('x-idempotent-replayed')).toBe('true');
    expect((await readChallenge(api, id)).body.status).toBe('approved');
  });

  it('sends one mail however often it arrives', async () => {
    const message = challengeOf(card);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(api, message)));
    for (const { status, text } of answers) {
      if (status === 200) expect(JSON.parse(text)).toMatchObject({ accepted: true });
      else expect(status).toBe(409);
    }
    expect((await send(api, message)).body).toMatchObject({ accepted: true });
    expect(
      await api.database.query('select 1 from card_challenges where challenge_id = $1', [
        message.challengeId,
      ]),
    ).toHaveLength(1);
  });

  it('under the id of another message is 422', async () => {
    const message = challengeOf(card);
    await send(api, message);
    const other = await send(api, { ...message, amount: '61.00' });
    expect(other.status).toBe(422);
    expect(other.body.code).toBe('idempotency_mismatch');
  });

  it('about an unknown challenge reveals nothing', async () => {
    expect(await verify('nobody', '123456')).toEqual({ result: 'failed', triesLeft: 0 });
    expect(await tellChallenge(api, 'resend', 'nobody')).toEqual({
      accepted: false,
      reason: 'unknown_challenge',
    });
    expect(await tellChallenge(api, 'cancel', 'nobody')).toEqual({ status: 'unknown_challenge' });
    expect((await readChallenge(api, 'nobody')).status).toBe(404);
  });

  it('that is forged is 401 and changes nothing', async () => {
    const id = await sentChallenge(api, card);
    const code = await newestCode(client);
    const forged = await send(
      api,
      { messageId: nextName('forged'), type: 'challenge.verify', challengeId: id, code },
      { secret: Buffer.alloc(32, 1) },
    );
    expect(forged.status).toBe(401);
    expect((await readChallenge(api, id, { secret: Buffer.alloc(32, 1) })).status).toBe(401);
    expect((await readChallenge(api, id, { at: new Date(Date.now() - 400_000) })).status).toBe(401);
    expect(await statusOf(id)).toBe('sent');
  });

  it.each([
    [{ merchant: { id: 'm', name: 'x' } }, 'merchant.country'],
    [{ merchant: { name: 'x', country: 'AT' } }, 'merchant.id'],
    [{ amount: '60.001' }, 'amount'],
    [{ amount: 60 }, 'amount'],
    [{ currency: 'XXY' }, 'currency'],
    [{ challengeId: 'a b' }, 'challengeId'],
    [{ expiresAt: 'soon' }, 'expiresAt'],
    [{ cardReference: undefined }, 'cardReference'],
  ])('with %j is 400 and names %s', async (given, field) => {
    const answer = await send(api, challengeOf(card, given));
    expect(answer.status).toBe(400);
    expect(answer.body.field).toBe(field);
  });

  it('with a malformed code is 400, and no answer repeats the code', async () => {
    const answer = await send(api, {
      messageId: nextName('cm'),
      type: 'challenge.verify',
      challengeId: 'acs-1',
      code: 123456,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.field).toBe('code');
    expect(answer.text).not.toContain('123456');
  });
});

describe('the mailbox', () => {
  it('shows a tenant its own mails, and a page of them to anyone with its address', async () => {
    await sentChallenge(api, card);
    const code = await newestCode(client);
    const stranger = await api.client();
    expect(await mailsOf(stranger)).toEqual([]);
    const { body } = await client.call('GET', '/sandbox/mailbox');
    const path = new URL(body.pageUrl).pathname;
    const page = await api.call('GET', path);
    expect(page.status).toBe(200);
    expect(page.text).toContain(code);
    expect((await api.call('GET', `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
    const foreign = path.replace(client.clientId, stranger.clientId);
    expect((await api.call('GET', foreign)).status).toBe(404);
  });
});

it('stores the code in no column of any table', async () => {
  const id = await sentChallenge(api, card);
  const code = await newestCode(client);
  await verify(id, code);
  const tables = await api.database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  // Random bytes in hexadecimal contain any six digits now and then, so the code's own bytes are sought there.
  for (const { name } of tables) {
    const rows = await api.database.query(
      `select 1 from "${name}" t
        where regexp_replace(t::text, '[0-9a-f]{32,}', '', 'g') ~ $1 or position($2 in t::text) > 0`,
      [`(^|[^0-9])${code}([^0-9]|$)`, Buffer.from(code).toString('hex')],
    );
    expect({ name, rows: rows.length }).toEqual({ name, rows: 0 });
  }
});
