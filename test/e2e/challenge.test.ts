/** @long @isolated launches the product, and kills it. */
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { cardwright } from '../../client/src';
import { balancesOf, type Done, shown } from '../../scripts/processor/books';
import { FUNDED, issueCards } from '../../scripts/processor/cards';
import { issueChallengedCards, playChallenges } from '../../scripts/processor/challenges';
import { answered } from '../../scripts/processor/send';
import { openInstallation } from '../../src/installation/session';
import { readConfig } from '../../src/kernel/config/config';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { SIGNATURE_HEADER, signMessage } from '../../src/parties/protocol/signature';
import { partyPath, partySecret } from '../../src/parties/sandbox/mount';
import { connectionUrl } from '../../src/startup/embedded/postgres/connection';
import { DATABASE } from '../../src/startup/embedded/postgres/server';
import { placeOf } from '../../src/startup/installation/run';
import { dumpOf, historiesOf } from '../chaos/secrets/written';
import { killAll, START_MS } from '../startup/process';
import { startWhole, type Whole } from '../support/product';
import { temporaryFolder } from '../support/servers';
import { until } from '../support/until';

/**
 * A payer is authenticated by 3-D Secure, with the whole product, a card processor over HTTP, and a real mail server.
 */

const dataDir = temporaryFolder('challenge');
let whole: Whole;
let mailServer: SMTPServer;
let mails: string[];
/** The mail server refuses every connection while this is true. */
let isAway = false;
let environment: Record<string, string>;

beforeAll(async () => {
  mails = [];
  mailServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, callback) =>
      callback(isAway ? Object.assign(new Error('away'), { responseCode: 421 }) : null),
    onData(stream, _session, callback) {
      let raw = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => (raw += chunk));
      stream.on('end', () => {
        mails.push(raw);
        callback();
      });
    },
  });
  mailServer.on('error', () => undefined); // a client that was killed
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
  const { port } = mailServer.server.address() as AddressInfo;
  environment = {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'cards@example.com',
    CHAIN: 'off',
    LOG_LEVEL: 'trace',
  };
  whole = await startWhole(dataDir, environment);
}, START_MS);
afterAll(async () => {
  await whole?.stop();
  killAll();
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
  rmSync(dataDir, { recursive: true, force: true });
}, START_MS);

/** Logs of the product before it was killed. */
const logs: string[] = [];

async function killAndStart(meanwhile: () => void = () => undefined): Promise<void> {
  await whole.kill9();
  meanwhile();
  logs.push(whole.run.text());
  whole = await startWhole(dataDir, environment);
}

async function secretOfProcessor(): Promise<Buffer> {
  const { keyring, close } = await openInstallation(await placeOf(readConfig({ DATA_DIR: dataDir })));
  try {
    return partySecret(keyring, 'card-processor');
  } finally {
    await close();
  }
}

async function tell(message: Record<string, unknown>): Promise<any> {
  const raw = JSON.stringify({ messageId: randomUUID(), ...message });
  const secret = await secretOfProcessor();
  const answer = await fetch(`${whole.credentials.baseUrl}/processor/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADER]: signMessage(Buffer.from(raw), secret, new Date()),
    },
    body: raw,
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function statusOf(challengeId: string): Promise<string> {
  const path = `/processor/v1/challenges/${challengeId}`;
  const signature = signMessage(Buffer.from(path), await secretOfProcessor(), new Date());
  const answer = await fetch(whole.credentials.baseUrl + path, {
    headers: { [SIGNATURE_HEADER]: signature },
  });
  return ((await answer.json()) as { status: string }).status;
}

async function callers() {
  const { baseUrl, client, admin } = whole.credentials;
  const processor = { url: baseUrl + partyPath('card-processor'), secret: await secretOfProcessor() };
  return [cardwright({ baseUrl, ...client }), cardwright({ baseUrl, ...admin }), processor] as const;
}

async function issued() {
  const [card] = await issueCards(...(await callers()), 1);
  if (!card) throw new Error('no card was issued');
  return card;
}

const challenge = (cardReference: string, challengeId: string) => ({
  type: 'challenge',
  challengeId,
  cardReference,
  amount: '60.00',
  currency: 'USD',
  merchant: { id: 'merchant-1', name: 'Bookshop', country: 'AT' },
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
});

const codeIn = (mail: string | undefined): string => /^\d{6}\r?$/m.exec(mail ?? '')?.[0].trim() ?? '';

it('mails a code that approves the payment', async () => {
  const { reference } = await issued();
  const before = mails.length;
  expect(await tell(challenge(reference, 'acs-1'))).toMatchObject({ accepted: true });
  await until(async () => (await statusOf('acs-1')) === 'sent');
  expect(mails).toHaveLength(before + 1);
  const code = codeIn(mails.at(-1));
  expect(await tell({ type: 'challenge.verify', challengeId: 'acs-1', code })).toEqual({
    result: 'approved',
    triesLeft: 3,
  });
  expect(await statusOf('acs-1')).toBe('approved');
});

it('mails the code after a kill, once the mail server is back', async () => {
  const { reference } = await issued();
  const before = mails.length;
  isAway = true;
  expect(await tell(challenge(reference, 'acs-2'))).toMatchObject({ accepted: true });
  await killAndStart(() => (isAway = false));
  await until(async () => (await statusOf('acs-2')) !== 'sending');
  // After a start of more than a minute the payer has no code, and the status says so.
  const status = await statusOf('acs-2');
  expect(['sent', 'unavailable']).toContain(status);
  expect(mails).toHaveLength(before + (status === 'sent' ? 1 : 0));
  const code = codeIn(mails.at(-1));
  expect(await tell({ type: 'challenge.verify', challengeId: 'acs-2', code })).toMatchObject({
    result: status === 'sent' ? 'approved' : 'expired',
  });
});

it('answers the purchases of challenged payers in `npm run processor`', async () => {
  const [client, admin, processor] = await callers();
  const cards = await issueChallengedCards(client, admin, processor);
  const line = { url: whole.credentials.baseUrl, secret: processor.secret };
  const played = await playChallenges({ ...line, client, cards });
  expect(played.wrong).toEqual([]);
  for (const { id, reference } of cards.values()) {
    const { available, pending, spent } = (await client.getCard({ path: { id } })).balance;
    const books = balancesOf(FUNDED, played.transactions.get(reference) ?? []);
    expect([available, pending, spent].join(' ')).toBe(shown(books));
  }
});

it('uses each challenge once while the product is killed again and again', async () => {
  const secret = await secretOfProcessor();
  const cards = await issueCards(...(await callers()), 6);
  const line = {
    get url() {
      return whole.credentials.baseUrl; // each start has a new port
    },
    secret,
  };
  /** Repeats the message, because the product may take longer to start again than a sender waits. */
  const tellAgain = async (type: string, given: object): Promise<any> => {
    const message = JSON.stringify({ messageId: randomUUID(), type, ...given });
    let text: string | undefined;
    await until(async () => {
      text = await answered(line, type, message).then(
        (answer) => answer.text,
        () => undefined,
      );
      return text !== undefined;
    });
    return JSON.parse(text ?? '');
  };
  let isOver = false;
  const paid = Promise.all(
    cards.map(async ({ reference }, index) => {
      const done: Done[][] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        const given = challenge(reference, `acs-killed-${index}-${turn}`);
        const { challengeId, amount, currency } = given;
        const merchant = { ...given.merchant, name: `Shop ${challengeId}` };
        expect(await tellAgain('challenge', { ...given, merchant })).toMatchObject({ accepted: true });
        const mailed = () => mails.findLast((mail) => mail.includes(merchant.name));
        // After a start of more than a minute the payer has no code, so the test requests another challenge.
        const isUnsent = async () => (await statusOf(challengeId).catch(() => '')) === 'unavailable';
        while (!mailed()) {
          await until(async () => mailed() !== undefined || (await isUnsent()));
          if (!mailed()) await tellAgain('challenge.resend', { challengeId });
        }
        const code = codeIn(mailed());
        const verified = await tellAgain('challenge.verify', { challengeId, code });
        expect(verified.result).toBe('approved');
        const terms = {
          cardReference: reference,
          amount,
          currency,
          merchant,
          channel: 'ecommerce',
          challengeId,
        };
        for (const _ of ['the purchase', 'another one with its challenge']) {
          const sent = { networkReference: randomUUID(), sentAt: new Date().toISOString() };
          const { approved } = await tellAgain('authorization', { ...terms, ...sent });
          done.push([{ type: 'authorization', minor: 6_000, sent: 0, approved }]);
        }
      }
      return { reference, done };
    }),
  ).finally(() => (isOver = true));
  const kills = (async () => {
    for (let count = 0; count < 3 && !isOver; count += 1) {
      await sleep(1_500 + 700 * count);
      await killAndStart();
    }
  })();
  const [played] = await Promise.all([paid, kills]);
  const [client] = await callers();
  for (const [index, { reference, done }] of played.entries()) {
    const approved = done.filter(([step]) => step?.approved).length;
    expect(approved).toBeLessThanOrEqual(4);
    const used = await Promise.all(
      Array.from({ length: 4 }, (_, turn) => statusOf(`acs-killed-${index}-${turn}`)),
    );
    expect(used.filter((status) => status === 'used').length).toBeGreaterThanOrEqual(approved);
    const books = shown(balancesOf(FUNDED, done));
    const { id } = cards.find((card) => card.reference === reference)!;
    // A workflow releases what authorizations without an answer hold.
    await until(async () => {
      const { available, pending, spent } = (await client.getCard({ path: { id } })).balance;
      return [available, pending, spent].join(' ') === books;
    });
  }
});

it.each([
  ['the database', () => withDatabase(dumpOf), 'acs-1'],
  ['the logs', async () => [...logs, whole.run.text()].join('\n'), '/processor/v1/messages'],
  ['the histories', () => historiesOf({ temporalAddress: addressOfTemporal() }), 'challenge-code-'],
])('writes no code into %s', async (_place, read, known) => {
  const codes = mails.map(codeIn);
  expect(codes.length).toBeGreaterThan(0);
  const text = await read();
  expect(text).toContain(known);
  for (const code of codes) {
    expect(code).toMatch(/^\d{6}$/);
    expect(text).not.toMatch(new RegExp(`(?<![0-9A-Za-z.])${code}(?![0-9A-Za-z])`));
  }
});

async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const state = stateOf<{ port: number; password: string }>('postgres.json');
  const database = createDatabase({ url: connectionUrl(state, DATABASE), poolSize: 1, name: 'challenge' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const addressOfTemporal = () => `127.0.0.1:${stateOf<{ port: number }>('temporal.json').port}`;

function stateOf<T>(name: string): T {
  return JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as T;
}
