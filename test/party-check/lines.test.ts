import { randomUUID } from 'node:crypto';
import { lineChecks } from '../../scripts/party-check/line-checks';
import { type Listener, startListener } from '../../scripts/party-check/listener';
import { runChecks } from '../../scripts/party-check/outcome';
import { answered } from '../../scripts/processor/send';
import { SIGNATURE_HEADER, signMessage } from '../../src/parties/protocol/signature';
import { notOk, protocolOf } from './support';

/** A processor with one fault in its lines fails exactly the checks of that fault. */

const protocol = protocolOf('card-processor');
const lines = protocol.lines ?? [];
const secret = Buffer.from('correct horse battery staple');
let listener: Listener;
beforeEach(async () => {
  listener = await startListener(0, '127.0.0.1', lines);
});
afterEach(() => listener.close());

const checked = async () => {
  const { told } = listener;
  const context = { protocol, secret, lineMs: 0, told } as unknown as Parameters<typeof lineChecks>[0];
  return notOk(await runChecks(lineChecks(context), () => undefined));
};

const messagesOf = (name: string) =>
  Object.values(lines.find((line) => line.name === name)?.examples ?? {}).map(
    ({ message }): Record<string, unknown> => ({ ...message, messageId: randomUUID() }),
  );

/** Sends a message as a processor does: until the answer is 200. */
const send = (message: object) =>
  answered({ url: new URL(listener.url).origin, secret }, 'message', JSON.stringify(message));

/** Sends a message once, with any answer. */
const sendOnce = (message: object, signedBy = secret) => {
  const body = JSON.stringify(message);
  return fetch(new URL('/processor/v1/messages', listener.url), {
    method: 'POST',
    headers: { [SIGNATURE_HEADER]: signMessage(Buffer.from(body), signedBy, new Date()) },
    body,
  });
};

const [challenge = {}] = messagesOf('challenge');

it('passes a processor that keeps both lines, and gives the documented answers', async () => {
  for (const message of [...messagesOf('message'), ...messagesOf('challenge')]) await send(message);
  expect(await checked()).toEqual([]);
  const answer = JSON.parse((await send({ ...challenge, messageId: 'another' })).text);
  expect(answer).toMatchObject({ accepted: true });
});

it('skips a line without messages', async () => {
  for (const message of messagesOf('challenge')) await send(message);
  const skipped = await checked();
  expect(skipped).toHaveLength(4);
  expect(skipped[0]).toMatch(/^skipped message\.arrives: no message of this line came/);
});

it.each<[string, string, () => Promise<unknown>]>([
  [
    'signs with another secret',
    'challenge.signed',
    async () => {
      for (const _ of ['once', 'again']) await sendOnce(challenge, Buffer.from('another'));
    },
  ],
  [
    'leaves out the merchant’s id',
    'challenge.shape',
    () => send({ ...challenge, merchant: { name: 'Shop' } }),
  ],
  ['sends an amount as a number', 'challenge.shape', () => send({ ...challenge, amount: 60 })],
  ['does not send a message again', 'challenge.repeated', () => sendOnce(challenge)],
  [
    'sends another message under the name',
    'challenge.repeated',
    async () => {
      await sendOnce(challenge);
      await sendOnce({ ...challenge, amount: '61.00' });
    },
  ],
])('fails when a processor %s', async (_what, name, tell) => {
  for (const message of messagesOf('message')) await send(message);
  await tell();
  const failed = await checked();
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(new RegExp(`^FAILED ${name.replace('.', '\\.')}: `));
});

it('lets an authorization be given up', async () => {
  const [authorization = {}] = messagesOf('message');
  await sendOnce(authorization);
  await send(challenge);
  expect(await checked()).toEqual([]);
});
