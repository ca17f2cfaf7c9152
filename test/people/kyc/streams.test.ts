import { readdir, readlink, writeFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../support/api';
import { until } from '../../support/until';
import { createUser, jpeg, uploadDocument } from '../../support/uploads';
import { type KycApi, kycApi } from './support';

/** Uploads and downloads that are slow, break off or are damaged. */

let api: KycApi;
let client: Client;
let userId: string;
beforeAll(async () => {
  api = await kycApi();
  client = await api.client();
  userId = await createUser(client);
});
afterAll(() => api.close());

const MIB = 1024 * 1024;
/** The largest form: four of them are what a tenant may have under way. */
const LARGEST = 10 * MIB + 64 * 1024;

interface Sending {
  request: ClientRequest;
  status: Promise<number>;
}

/** Begins an upload of the largest form with these first bytes of the file, and sends no more. */
function begin(by: Client, user: string, bytes: Buffer): Sending {
  const sent = request(`${api.url}/v1/users/${user}/kyc/documents`, {
    method: 'POST',
    agent: false,
    headers: {
      'x-client-id': by.clientId,
      'x-client-secret': by.clientSecret,
      'content-type': 'multipart/form-data; boundary=slow',
      'content-length': LARGEST,
    },
  });
  const status = new Promise<number>((resolve) => {
    sent.once('response', (answer) => resolve(answer.resume().statusCode ?? 0));
    sent.once('error', () => resolve(0));
  });
  sent.write('--slow\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n');
  sent.write(bytes);
  return { request: sent, status };
}

/** What the open files of uploads are linked to. Linux adds ` (deleted)` to a file without a name. */
async function openSpools(): Promise<string[]> {
  const open = await readdir('/proc/self/fd');
  const targets = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.includes('cardwright-upload-'));
}

it('lets four uploads of a tenant run, the next wait, and another tenant pass; broken ones leave no trace', async () => {
  const other = await api.client();
  const otherUser = await createUser(other);
  const before = await api.stored();
  const slow = Array.from({ length: 4 }, () =>
    begin(client, userId, Buffer.concat([jpeg(), Buffer.alloc(MIB)])),
  );
  await until(async () => (await openSpools()).length === 4);
  expect((await openSpools()).filter((target) => !target.endsWith(' (deleted)'))).toEqual([]);
  let ended = false;
  const next = uploadDocument(client, userId, 'idFrontImg').finally(() => {
    ended = true;
  });
  expect((await uploadDocument(other, otherUser, 'idFrontImg')).status).toBe(201);
  await sleep(200);
  expect(ended).toBe(false);
  slow[0]?.request.destroy();
  expect((await next).status).toBe(201);
  for (const each of slow) each.request.destroy();
  await until(async () => (await openSpools()).length === 0);
  expect((await api.stored()).length).toBe(before.length + 2);
  expect(await api.database.query('select 1 from document_removals')).toEqual([]);
});

it('gives back the turn of an upload that hangs up while it waits', async () => {
  const slow = Array.from({ length: 4 }, () => begin(client, userId, jpeg()));
  await until(async () => (await openSpools()).length === 4);
  const waiting = begin(client, userId, jpeg());
  await sleep(100);
  waiting.request.destroy();
  for (const each of slow) each.request.destroy();
  await until(async () => (await openSpools()).length === 0);
  const all = await Promise.all(Array.from({ length: 8 }, () => uploadDocument(client, userId, 'idBackImg')));
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
});

it('refuses a file by its first bytes, before the rest is sent', async () => {
  const sent = begin(client, userId, Buffer.from('GIF89a, and more that never comes'));
  expect(await sent.status).toBe(415);
  sent.request.destroy();
  await until(async () => (await openSpools()).length === 0);
});

describe('a document of several portions', () => {
  const bytes = Buffer.concat([jpeg(), Buffer.alloc(MIB, 7)]);
  let name: string;
  let path: string;
  beforeAll(async () => {
    const { id } = (await uploadDocument(client, userId, 'idHoldImg', bytes)).body;
    name = `${client.clientId}/${id}`;
    path = `/v1/users/${userId}/kyc/documents/${id}/content`;
  });

  it('comes back whole, with its length', async () => {
    const answer = await client.call('GET', path);
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    expect(answer.text.length).toBeGreaterThan(MIB);
  });

  it('ends the connection where a later portion is damaged, so that no caller takes the part for the whole', async () => {
    const sealed = await api.bytesOf(name);
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await writeFile(join(api.folder, name), changed);
    await expect(client.call('GET', path)).rejects.toThrow();
    await writeFile(join(api.folder, name), sealed);
    expect((await client.call('GET', path)).status).toBe(200);
  });
});
