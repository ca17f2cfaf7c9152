import { randomBytes, randomUUID } from 'node:crypto';
import { PROCESSOR } from '../../../src/cards/orders/processor';
import { MESSAGES_PATH } from '../../../src/cards/processor/message-key';
import { PARTY_NAMES, type PartyName } from '../../../src/kernel/parties';
import { SIGNATURE_HEADER, signMessage, TOLERANCE_SECONDS } from '../../../src/parties/protocol/signature';
import { partyPath } from '../../../src/parties/sandbox/mount';
import { submissionOrder } from '../../../src/people/cardholders/review/submission';
import { CALLBACKS } from '../../../src/transfers/callback-routes';
import { SCREENING_CALLBACKS } from '../../../src/transfers/screening/record';
import { referenceOf } from '../../processor/cards';
import type { Trials } from '../trials';
import type { World } from '../world';

/** Every address that a party signs its messages for. A test compares them with the routes. */
export const LINES: { path: string; party: PartyName }[] = [
  ...CALLBACKS.map(({ path, party }) => ({ path, party: PARTY_NAMES[party] })),
  { path: PROCESSOR.callbacks, party: PARTY_NAMES.cardProcessor },
  { path: submissionOrder.callbacks, party: PARTY_NAMES.cardholderReview },
  { path: MESSAGES_PATH, party: PARTY_NAMES.cardProcessor },
  { path: SCREENING_CALLBACKS, party: PARTY_NAMES.screening },
];

const FORGED = { status: 401, code: 'unauthorized' } as const;
const BODY_LIMIT = 64 * 1024;

interface Signed {
  raw: Buffer;
  secret: Buffer;
  now: number;
}

/** Headers that no holder of the secret made for these bytes. */
function forgeries({ raw, secret, now }: Signed): [what: string, header: string | undefined][] {
  const sign = (bytes = raw, by = secret, seconds = 0) =>
    signMessage(bytes, by, new Date(now + seconds * 1000));
  const [time = '', mac = ''] = sign().split(',');
  const digest = mac.slice('v1='.length);
  const late = TOLERANCE_SECONDS + 30;
  return [
    ['no signature', undefined],
    ['an empty one', ''],
    ['one by another secret', sign(raw, randomBytes(32))],
    ['one by an empty secret', sign(raw, Buffer.alloc(0))],
    ['a stale one', sign(raw, secret, -late)],
    ['one of the future', sign(raw, secret, late)],
    ['one of other bytes', sign(Buffer.concat([raw, Buffer.from(' ')]))],
    ['one of fewer bytes', sign(raw.subarray(0, -1))],
    ['one with another time', `t=${Math.floor(now / 1000) + 1},${mac}`],
    ['one without a time', mac],
    ['a cut one', `${time},v1=${digest.slice(0, 32)}`],
    ['one in capitals', `${time},v1=${digest.toUpperCase()}`],
    ['one in another order', `${mac},${time}`],
    ['two of them', `${time},v1=${'0'.repeat(64)},v1=${digest}`],
    ['one with spaces', `${time}, ${mac}`],
    ['one of nothing', `${time},v1=`],
    ['one of another version', `${time},v0=${digest}`],
  ];
}

const headerOf = (signature: string | undefined): Record<string, string> =>
  signature === undefined ? {} : { [SIGNATURE_HEADER]: signature };

/** Messages that no party sent, sent again, or changed on the way. */
export async function parties(world: World, trials: Trials): Promise<void> {
  const now = Date.now();
  const cases = LINES.map(({ path, party }) => {
    const raw = Buffer.from(JSON.stringify({ id: randomUUID(), eventId: randomUUID() }));
    const signed = { raw, secret: world.partySecret(party), now };
    const others = LINES.filter((line) => line.party !== party);
    const foreign = others.map(({ party: other }): [string, string] => [
      `the signature of ${other}`,
      signMessage(raw, world.partySecret(other), new Date(now)),
    ]);
    return [...forgeries(signed), ...foreign].map(([what, header]) => ({ path, raw, what, header }));
  });
  for (const { path, raw, what, header } of trials.spread(cases)) {
    const headers = headerOf(header);
    trials.answered(`${path} with ${what}`, await world.ask('POST', path, raw, headers), FORGED);
  }
  for (const { path, party } of trials.some(LINES)) {
    const large = Buffer.alloc(BODY_LIMIT + 1, 'x');
    const answer = await world.ask('POST', path, large, signatureOf(world, party, large));
    trials.answered(`${path} with a large body`, answer, { status: 413, code: 'payload_too_large' });
    // Proves that the cases above were refused for their signature alone.
    const odd = Buffer.from('{"odd":true}');
    const unread = await world.ask('POST', path, odd, signatureOf(world, party, odd));
    trials.answered(`${path} with a right signature of an unreadable message`, unread, { status: 400 });
  }
  await cardLine(world, trials);
}

const signatureOf = (world: World, party: PartyName, raw: Buffer) => ({
  [SIGNATURE_HEADER]: signMessage(raw, world.partySecret(party), new Date()),
});

/** The card processor's line moves money at once. */
async function cardLine(world: World, trials: Trials): Promise<void> {
  const { ask, records } = world;
  const party = PARTY_NAMES.cardProcessor;
  const secret = world.partySecret(party);
  const cardId = await records.id('card');
  const cardReference = await referenceOf({ url: world.api + partyPath(party), secret }, cardId);
  const available = async () =>
    Number((await records.client.call('GET', `/v1/cards/${cardId}`)).body.balance.available);
  const message = {
    messageId: randomUUID(),
    type: 'authorization',
    cardReference,
    amount: '1.00',
    currency: 'USD',
    networkReference: randomUUID(),
    channel: 'present',
    sentAt: new Date().toISOString(),
  };
  const raw = Buffer.from(JSON.stringify(message));
  const right = signatureOf(world, party, raw);
  const before = await available();
  for (const [what, header] of forgeries({ raw, secret, now: Date.now() })) {
    const headers = headerOf(header);
    trials.answered(`an authorization with ${what}`, await ask('POST', MESSAGES_PATH, raw, headers), FORGED);
  }
  const changed: [what: string, bytes: Buffer][] = [
    ['a cut authorization', raw.subarray(0, -2)],
    ['an authorization of more', Buffer.from(JSON.stringify({ ...message, amount: '9.00' }))],
    ['reordered fields', Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(message).reverse())))],
    ['a second amount', Buffer.from(`${raw.toString().slice(0, -1)},"amount":"9.00"}`)],
  ];
  for (const [what, bytes] of changed)
    trials.answered(`${what} under the signature`, await ask('POST', MESSAGES_PATH, bytes, right), FORGED);
  trials.holds('forged messages move no money', await available(), before);

  const many = await Promise.all(Array.from({ length: 20 }, () => ask('POST', MESSAGES_PATH, raw, right)));
  const told = many.filter(({ status }) => status === 200);
  trials.holds('a message sent twenty times has one answer', new Set(told.map(({ text }) => text)).size, 1);
  trials.holds('a message sent twenty times is approved', told[0]?.body.approved, true);
  trials.holds('a message sent twenty times moves money once', await available(), before - 1);
  const more = Buffer.from(JSON.stringify({ ...message, amount: '2.00' }));
  const other = await ask('POST', MESSAGES_PATH, more, signatureOf(world, party, more));
  trials.answered('another message under its id', other, { status: 422, code: 'idempotency_mismatch' });
  const question = `/processor/v1/challenges/${randomUUID()}`;
  for (const [what, header] of forgeries({ raw: Buffer.from(question), secret, now: Date.now() })) {
    const headers = headerOf(header);
    trials.answered(`a question with ${what}`, await ask('GET', question, undefined, headers), FORGED);
  }
  trials.holds('nothing else moves money', await available(), before - 1);
}
