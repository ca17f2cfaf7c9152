import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOfHead } from '../../../src/kernel/audit/heads';
import { verifySignature } from '../../../src/parties/protocol/signature';
import { createWitness } from '../../../src/parties/witness/create';
import type { Witness } from '../../../src/parties/witness/port';
import { createS3Witness } from '../../../src/parties/witness/s3';
import { PartyAway, PartyRefused } from '../../../src/process/party-errors';
import { type S3Double, startS3Double } from '../../support/outside/s3-server';

const SECRET = 'secret of the endpoint';
const now = () => new Date();
const headAt = (hour: number, hash = 'a') => ({
  hour: new Date(Date.UTC(2026, 0, 31, hour)).toISOString(),
  number: hour + 1,
  hash: hash.repeat(64),
});
const [FIRST, SECOND, THIRD] = [headAt(9), headAt(10), headAt(11)];

let folder: string;
let double: S3Double;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardwright-witness-'));
  double = await startS3Double();
});
afterAll(async () => {
  await double.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  double.objects.clear();
  double.locks.clear();
});

let files = 0;
const newFile = () => join(folder, `heads-${(files += 1)}`);
const file = (path = newFile()) => createWitness({ kind: 'file', path }, now);
const bucket = () =>
  createS3Witness({ bucket: double.settings, prefix: 'audit/heads', lockDays: 30, now, retryMs: 1 });

describe.each<[string, () => Witness]>([
  ['a file', file],
  ['a bucket', bucket],
])('%s', (_, make) => {
  it('returns the told heads, each once however often it was told', async () => {
    const witness = make();
    for (const head of [FIRST, SECOND, FIRST, THIRD]) await witness.tell(head);
    const told = (await witness.told?.()) ?? [];
    expect(told.sort((one, other) => one.number - other.number)).toEqual([FIRST, SECOND, THIRD]);
  });

  it('refuses another head of the same hour', async () => {
    const witness = make();
    await witness.tell(FIRST);
    await expect(witness.tell(headAt(9, 'b'))).rejects.toThrow(PartyRefused);
    expect(await witness.told?.()).toEqual([FIRST]);
  });
});

describe('the file', () => {
  it('has a line a head, and is readable by its owner only', async () => {
    const path = newFile();
    await file(path).tell(FIRST);
    await file(path).tell(SECOND);
    expect(await readFile(path, 'utf8')).toBe(`${textOfHead(FIRST)}\n${textOfHead(SECOND)}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps a new line apart from one that a crash has cut off', async () => {
    const path = newFile();
    await file(path).tell(FIRST);
    await appendFile(path, '{"hour":"2026');
    await file(path).tell(SECOND);
    expect((await readFile(path, 'utf8')).split('\n')[2]).toBe(textOfHead(SECOND));
    await expect(file(path).told?.()).rejects.toThrow('line 2 of the told heads is no head');
  });

  it('fails where it cannot be written or is not there', async () => {
    const inNoFolder = file(join(folder, 'none', 'heads'));
    await expect(inNoFolder.tell(FIRST)).rejects.toThrow(PartyAway);
    await expect(inNoFolder.told?.()).rejects.toThrow('there is no file of audit heads');
    const path = newFile();
    await writeFile(path, '');
    expect(await file(path).told?.()).toEqual([]);
  });
});

describe('the bucket', () => {
  it('locks each object for the given days', async () => {
    await bucket().tell(FIRST);
    const [[path, until] = []] = double.locks;
    expect(path).toBe('/documents/audit/heads/2026-01-31T09.json');
    const days = ((until?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  });

  it('is asked again while it fails, and reports when it stays away', async () => {
    double.faults.push({ status: 503, code: 'SlowDown' });
    await bucket().tell(FIRST);
    double.faults.push(...Array.from({ length: 3 }, () => ({ status: 500, code: 'InternalError' })));
    await expect(bucket().tell(SECOND)).rejects.toThrow('S3 answered PUT with 500 InternalError');
    const elsewhere = { ...double.settings, bucket: 'missing' };
    const missing = createS3Witness({ bucket: elsewhere, prefix: '', lockDays: 1, now, retryMs: 1 });
    await expect(missing.tell(FIRST)).rejects.toThrow('NoSuchBucket');
    await expect(missing.told?.()).rejects.toThrow(PartyAway);
  });
});

describe('the endpoint', () => {
  let server: Server;
  let url: string;
  let status: number;
  const posts: { headers: IncomingHttpHeaders; body: string }[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        posts.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(status, { location: '/elsewhere' }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    posts.length = 0;
    status = 204;
  });
  const endpoint = (at = url) => createWitness({ kind: 'endpoint', url: at, secret: SECRET }, now);

  it('takes a signed head under the hour as its key', async () => {
    await endpoint().tell(FIRST);
    const [{ headers, body } = { headers: {}, body: '' }] = posts;
    expect(JSON.parse(body)).toEqual(FIRST);
    expect(headers['idempotency-key']).toBe(FIRST.hour);
    const signed = (secret: string) =>
      verifySignature(Buffer.from(body), headers, { secret: Buffer.from(secret) });
    expect([signed(SECRET), signed('another')]).toEqual([true, false]);
    expect(endpoint().told).toBeUndefined();
  });

  it.each([
    [500, PartyAway],
    [429, PartyAway],
    [307, PartyAway],
    [400, PartyRefused],
    [409, PartyRefused],
  ])('that answers %s has not taken the head', async (answer, error) => {
    status = answer;
    await expect(endpoint().tell(FIRST)).rejects.toThrow(error);
  });

  it('that is away has not taken the head', async () => {
    await expect(endpoint('http://127.0.0.1:1/').tell(FIRST)).rejects.toThrow(PartyAway);
  });
});
