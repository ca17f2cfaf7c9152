import { createHash, randomUUID } from 'node:crypto';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';
import { partySecret } from '../../../src/parties/sandbox/mount';
import type { SandboxParty } from '../../../src/parties/sandbox/options';
import { forgetOldCallbacks } from '../../../src/process/callbacks/operations';
import { type TestApi, testApi } from '../../support/api';

/** All callback routes of outside parties. Anybody can send requests to them. */

const LIMIT = 64 * 1024;

let api: TestApi;
const forgedOf: string[] = [];
beforeAll(async () => {
  api = await testApi({ observers: { observeForged: (party) => void forgedOf.push(party) } });
});
beforeEach(async () => {
  forgedOf.length = 0;
  await api.database.query('truncate provider_callbacks, forged_callbacks');
});
afterAll(() => api.close());

/** Name in the path, signing party, and further fields of the message. */
const PARTIES: [string, SandboxParty, Record<string, string>][] = [
  ['checkout', 'checkout', { sessionId: 'cs_unknown' }],
  ['payouts', 'payouts', { key: 'unknown' }],
  ['iban-payouts', 'payouts', { key: 'unknown' }],
  ['external-cards', 'external-cards', { key: 'unknown' }],
  ['bank', 'bank', { creditId: 'crd_unknown' }],
  ['exchange', 'exchange', { key: 'unknown' }],
  ['screening', 'screening', { key: 'unknown' }],
];

async function post(party: string, body: string | Buffer, headers: Record<string, string> = {}) {
  return (await api.call('POST', `/callbacks/${party}`, body, headers)).status;
}

function signed(signer: SandboxParty, body: string): Record<string, string> {
  const secret = partySecret(api.services.keyring, signer);
  return { [SIGNATURE_HEADER]: signMessage(Buffer.from(body), secret, new Date()) };
}

/** A message with that number of bytes. */
function padded(message: object, bytes: number): string {
  const short = JSON.stringify({ ...message, note: '' });
  return short.replace('"note":""', `"note":"${'x'.repeat(bytes - short.length)}"`);
}

const kept = () =>
  api.database.query<{ party: string; external_id: string }>(
    'select party, external_id from provider_callbacks order by received_at',
  );
const forged = () =>
  api.database.query<{ party: string; count: string; last_hash: Buffer }>(
    'select party, count, last_hash from forged_callbacks order by party, hour',
  );
const sha256 = (body: string) => createHash('sha256').update(body).digest();

describe.each(PARTIES)('a callback of %s', (party, signer, about) => {
  it('is accepted with 64 KiB when it is signed, and a 413 with one byte more', async () => {
    const right = padded({ id: randomUUID(), ...about }, LIMIT);
    expect(await post(party, right, signed(signer, right))).toBe(200);
    const large = padded({ id: randomUUID(), ...about }, LIMIT + 1);
    expect(await post(party, large, signed(signer, large))).toBe(413);
    expect(await kept()).toHaveLength(1);
  });

  it('leaves only a count and a hash when it is forged', async () => {
    const first = JSON.stringify({ id: 'm1', ...about });
    const last = JSON.stringify({ id: 'm2', ...about });
    expect(await post(party, first)).toBe(401);
    expect(await post(party, last, { [SIGNATURE_HEADER]: `t=1,v1=${'0'.repeat(64)}` })).toBe(401);
    const rows = await forged();
    expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(2);
    expect(rows.at(-1)).toMatchObject({ party, last_hash: sha256(last) });
    expect(await kept()).toEqual([]);
    expect(forgedOf).toEqual([party, party]);
  });
});

it('counts many concurrent forged callbacks in one row an hour', async () => {
  const started = await hourNow();
  const body = padded({ id: 'm' }, LIMIT);
  const answers = await Promise.all(Array.from({ length: 300 }, () => post('checkout', body)));
  expect(new Set(answers)).toEqual(new Set([401]));
  const rows = await forged();
  expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(300);
  expect(rows.length).toBeLessThanOrEqual(started === (await hourNow()) ? 1 : 2);
  const [size] = await api.database.query<{ bytes: string }>(
    `select pg_total_relation_size('provider_callbacks') + pg_total_relation_size('forged_callbacks') as bytes`,
  );
  expect(Number(size?.bytes)).toBeLessThan(300 * LIMIT * 0.05);
});

async function hourNow(): Promise<string> {
  const [row] = await api.database.query<{ hour: string }>(
    `select date_trunc('hour', clock_timestamp())::text as hour`,
  );
  return row?.hour ?? '';
}

it('a forged callback does not change the stored one with its id', async () => {
  const body = JSON.stringify({ id: 'genuine', sessionId: 'cs_unknown' });
  expect(await post('checkout', body)).toBe(401);
  expect(await post('checkout', body, signed('checkout', body))).toBe(200);
  expect(await post('checkout', body, signed('checkout', body))).toBe(200);
  expect(await kept()).toEqual([{ party: 'checkout', external_id: 'genuine' }]);
});

describe('after thirty days', () => {
  const age = (table: string, column: string, days: number) =>
    api.database.query(`update ${table} set ${column} = ${column} - make_interval(days => $1)`, [days]);

  it('callbacks and counts are deleted in batches', async () => {
    for (const id of ['a', 'b', 'c']) {
      const body = JSON.stringify({ id, sessionId: 'cs_unknown' });
      await post('checkout', body, signed('checkout', body));
    }
    await post('bank', 'nonsense');
    await age('provider_callbacks', 'received_at', 31);
    await age('forged_callbacks', 'hour', 31);
    const young = JSON.stringify({ id: 'd', sessionId: 'cs_unknown' });
    await post('checkout', young, signed('checkout', young));
    await post('payouts', 'nonsense');
    expect(await forgetOldCallbacks(api.database, { batch: 2 })).toBe(4);
    expect(await kept()).toEqual([{ party: 'checkout', external_id: 'd' }]);
    expect((await forged()).map(({ party }) => party)).toEqual(['payouts']);
    expect(await forgetOldCallbacks(api.database)).toBe(0);
  });

  it('younger callbacks are kept', async () => {
    const body = JSON.stringify({ id: 'e', sessionId: 'cs_unknown' });
    await post('checkout', body, signed('checkout', body));
    await age('provider_callbacks', 'received_at', 29);
    expect(await forgetOldCallbacks(api.database)).toBe(0);
    expect(await kept()).toHaveLength(1);
  });

  it('a repeated message only wakes the workflow once more', async () => {
    const body = JSON.stringify({ id: 'f', creditId: 'crd_1' });
    const looks = () => api.commands.filter(({ args }) => args[0] === 'crd_1').length;
    await post('bank', body, signed('bank', body));
    await post('bank', body, signed('bank', body));
    expect(looks()).toBe(1);
    await age('provider_callbacks', 'received_at', 31);
    await forgetOldCallbacks(api.database);
    const old = signMessage(
      Buffer.from(body),
      partySecret(api.services.keyring, 'bank'),
      new Date(Date.now() - 31 * 86_400_000),
    );
    expect(await post('bank', body, { [SIGNATURE_HEADER]: old })).toBe(401); // as an eavesdropper would send it
    expect(looks()).toBe(1);
    expect(await post('bank', body, signed('bank', body))).toBe(200); // as the party itself would send it
    expect(looks()).toBe(2);
  });
});
