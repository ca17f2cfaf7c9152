/** @long */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createFolderStore } from '../../../src/parties/documents/folder';
import { createMemoryStore } from '../../../src/parties/documents/memory';
import {
  type DocumentKey,
  type Documents,
  DocumentsAway,
  DocumentUnreadable,
  type SealedStore,
} from '../../../src/parties/documents/port';
import { createS3Store } from '../../../src/parties/documents/s3';
import { createDocuments } from '../../../src/parties/documents/sealed';
import { createStore } from '../../../src/parties/documents/settings';
import { testKeyring } from '../../support/keyring';
import {
  realS3Program,
  type S3Double,
  type S3Server,
  startRealS3,
  startS3Double,
} from '../../support/outside/s3-server';
import { contentOf } from '../../support/uploads';

const keyring = testKeyring();
const key = { tenantId: 'cli_1', documentId: 'doc_1' };
const other = { tenantId: 'cli_1', documentId: 'doc_2' };
const elsewhere = { tenantId: 'cli_2', documentId: 'doc_1' };
const CONTENT = Buffer.from('%PDF-1.7 Ada Byron, born on 1815-12-10');

const put = (documents: Documents, at: DocumentKey, bytes: Buffer) => documents.put(at, contentOf(bytes));
const get = async (documents: Documents, at: DocumentKey) => buffer(await documents.get(at));
const putSealed = (store: SealedStore, name: string, bytes: Buffer) => store.put(name, contentOf(bytes));
async function getSealed(store: SealedStore, name: string): Promise<Buffer | undefined> {
  const found = await store.get(name);
  return found && buffer(found);
}

let folder: string;
let double: S3Double;
let real: S3Server | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardwright-documents-'));
  double = await startS3Double();
  const program = realS3Program();
  if (program) real = await startRealS3(program);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await double.close();
  await real?.close();
});
beforeEach(() => {
  double.requests.length = 0;
  double.faults.length = 0;
});

const s3 = (settings = double.settings) => createS3Store(settings, { retryMs: 1, timeoutMs: 60_000 });

const STORES: [name: string, make: () => SealedStore][] = [
  ['memory', createMemoryStore],
  ['folder', () => createFolderStore(join(folder, 'contract'))],
  ['s3', () => s3()],
];
// A real server, where versitygw is on the PATH (go install github.com/versity/versitygw/cmd/versitygw@latest).
if (realS3Program()) STORES.push(['a real S3 server', () => s3((real as S3Server).settings)]);

describe.each(STORES)('documents in %s', (_name, make) => {
  let store: SealedStore;
  let documents: Documents;
  beforeAll(() => {
    store = make();
    documents = createDocuments(store, keyring);
  });

  it('returns the stored bytes until they are deleted', async () => {
    const large = randomBytes(10 * 1024 * 1024);
    await put(documents, key, CONTENT);
    await put(documents, other, large);
    expect(await get(documents, key)).toEqual(CONTENT);
    expect((await get(documents, other)).equals(large)).toBe(true);
    await put(documents, key, Buffer.from('newer'));
    expect((await get(documents, key)).toString()).toBe('newer');
    await documents.delete(key);
    await expect(get(documents, key)).rejects.toBeInstanceOf(DocumentUnreadable);
    expect((await get(documents, other)).length).toBe(large.length);
    await documents.delete(key); // idempotent
  });

  it('stores only ciphertext, which differs for equal documents', async () => {
    await put(documents, key, CONTENT);
    await put(documents, other, CONTENT);
    const [one, two] = [await getSealed(store, 'cli_1/doc_1'), await getSealed(store, 'cli_1/doc_2')];
    for (const word of ['%PDF', 'Ada', 'Byron', '1815']) {
      expect(one?.includes(word)).toBe(false);
      expect(one?.toString('latin1')).not.toContain(Buffer.from(word).toString('base64').slice(0, 4));
    }
    expect(one?.equals(two as Buffer)).toBe(false);
  });

  it('refuses content that was changed, truncated, or moved to another id or tenant', async () => {
    await put(documents, key, CONTENT);
    await put(documents, other, Buffer.from('%PDF-1.7 somebody else'));
    const sealed = (await getSealed(store, 'cli_1/doc_1')) as Buffer;
    const otherSealed = (await getSealed(store, 'cli_1/doc_2')) as Buffer;
    await putSealed(store, 'cli_1/doc_1', otherSealed);
    await putSealed(store, 'cli_1/doc_2', sealed);
    await putSealed(store, 'cli_2/doc_1', sealed);
    for (const swapped of [key, other, elsewhere])
      await expect(get(documents, swapped)).rejects.toBeInstanceOf(DocumentUnreadable);
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    for (const bytes of [changed, sealed.subarray(0, -1), sealed.subarray(0, 20), sealed.subarray(0, 5)]) {
      await putSealed(store, 'cli_1/doc_1', bytes);
      await expect(get(documents, key)).rejects.toBeInstanceOf(DocumentUnreadable);
    }
    await putSealed(store, 'cli_1/doc_1', sealed);
    expect(await get(documents, key)).toEqual(CONTENT);
    const foreign = createDocuments(store, testKeyring());
    await expect(get(foreign, key)).rejects.toBeInstanceOf(DocumentUnreadable);
  });

  it('refuses a key that leads out of the store', async () => {
    for (const bad of ['../doc', 'a/b', '', 'doc_1.tmp'])
      expect(() => put(documents, { tenantId: 'cli_1', documentId: bad }, CONTENT)).toThrow('not the key');
  });
});

describe('the folder', () => {
  it('shows only complete files while several writers replace them', async () => {
    const root = join(folder, 'parallel');
    const store = createFolderStore(root);
    const contents = Array.from({ length: 20 }, (_, index) => Buffer.alloc(200_000, index));
    const reads: Promise<Buffer | undefined>[] = [];
    await Promise.all(
      contents.map(async (content) => {
        await putSealed(store, 'cli_1/doc_1', content);
        reads.push(getSealed(store, 'cli_1/doc_1'));
      }),
    );
    for (const read of await Promise.all(reads)) {
      expect(read).toHaveLength(200_000);
      expect(read?.every((byte) => byte === read[0])).toBe(true);
    }
    expect(await readdir(join(root, 'cli_1'))).toEqual(['doc_1']);
  });

  it('is readable only by its owner', async () => {
    const root = join(folder, 'modes');
    await putSealed(createFolderStore(root), 'cli_1/doc_1', CONTENT);
    expect((await stat(join(root, 'cli_1'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(root, 'cli_1/doc_1'))).mode & 0o777).toBe(0o600);
  });

  it('throws DocumentsAway and leaves no file when it cannot write or read', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, 'x');
    const store = createFolderStore(file);
    await expect(putSealed(store, 'cli_1/doc_1', CONTENT)).rejects.toBeInstanceOf(DocumentsAway);
    await expect(getSealed(store, 'cli_1/doc_1')).rejects.toBeInstanceOf(DocumentsAway);
    expect(await readFile(file, 'utf8')).toBe('x');
    const root = join(folder, 'taken');
    await putSealed(createFolderStore(root), 'cli_1/doc_1/inner', CONTENT); // a folder is in the file's place
    await expect(putSealed(createFolderStore(root), 'cli_1/doc_1', CONTENT)).rejects.toBeInstanceOf(
      DocumentsAway,
    );
    expect(await readdir(join(root, 'cli_1'))).toEqual(['doc_1']);
  });

  it('is chosen by the settings', async () => {
    const root = join(folder, 'settings');
    await putSealed(createStore({ kind: 'folder', folder: root }), 'cli_1/doc_1', CONTENT);
    expect(await readdir(root)).toEqual(['cli_1']);
    const bucket = createStore({ kind: 's3', ...double.settings });
    await putSealed(bucket, 'cli_9/doc_1', CONTENT);
    expect(double.objects.get('/documents/cli_9/doc_1')).toEqual(CONTENT);
  });
});

describe('S3', () => {
  it('tries three times when the server fails or the connection breaks', async () => {
    double.faults.push({ status: 503, code: 'SlowDown' }, 'break');
    await putSealed(s3(), 'cli_1/doc_3', CONTENT);
    expect(double.requests).toHaveLength(3);
    expect(await getSealed(s3(), 'cli_1/doc_3')).toEqual(CONTENT);
    double.faults.push(...Array.from({ length: 3 }, () => ({ status: 500, code: 'InternalError' })));
    double.requests.length = 0;
    await expect(getSealed(s3(), 'cli_1/doc_3')).rejects.toBeInstanceOf(DocumentsAway);
    expect(double.requests).toHaveLength(3);
  });

  it('stops waiting at its time-out', async () => {
    double.faults.push('hang', 'hang', 'hang');
    const impatient = createS3Store(double.settings, { retryMs: 1, timeoutMs: 50 });
    await expect(getSealed(impatient, 'cli_1/doc_1')).rejects.toBeInstanceOf(DocumentsAway);
  });

  it.each([
    ['put', (store: SealedStore) => putSealed(store, 'cli_1/doc_7', CONTENT)],
    ['get', (store: SealedStore) => getSealed(store, 'cli_1/doc_7')],
    ['delete', (store: SealedStore) => store.delete('cli_1/doc_7')],
  ])('fails %s without a retry when the secret is wrong or the bucket is missing', async (_, work) => {
    // A request that the test before gave up on may still arrive.
    const asked = () => double.requests.filter(({ path }) => path.endsWith('doc_7')).length;
    await expect(work(s3({ ...double.settings, secretAccessKey: 'wrong' }))).rejects.toThrow(DocumentsAway);
    expect(asked()).toBe(1);
    const told = await work(s3({ ...double.settings, bucket: 'missing' })).catch((error: Error) => error);
    expect(told).toBeInstanceOf(DocumentsAway);
    expect(String(((told as Error).cause as Error).message)).toMatch(/404 NoSuchBucket/);
    expect(asked()).toBe(2);
  });

  it('follows no redirect', async () => {
    double.faults.push(...Array.from({ length: 3 }, () => ({ status: 307, code: 'TemporaryRedirect' })));
    await expect(putSealed(s3(), 'cli_1/doc_1', CONTENT)).rejects.toBeInstanceOf(DocumentsAway);
  });

  it('throws DocumentsAway when the connection is refused', async () => {
    const nowhere = s3({ ...double.settings, endpoint: 'http://127.0.0.1:1' });
    await expect(getSealed(nowhere, 'cli_1/doc_1')).rejects.toBeInstanceOf(DocumentsAway);
  });

  (realS3Program() ? it : it.skip)('is refused by a real server with a wrong secret', async () => {
    const { settings } = real as S3Server;
    const wrong = s3({ ...settings, secretAccessKey: 'wrong' });
    const told = await putSealed(wrong, 'cli_1/doc_1', CONTENT).catch((error: Error) => error);
    expect(((told as Error).cause as Error).message).toBe('S3 answered PUT with 403 SignatureDoesNotMatch');
    const missing = s3({ ...settings, bucket: 'missing' });
    await expect(getSealed(missing, 'cli_1/doc_1')).rejects.toBeInstanceOf(DocumentsAway);
    await expect(putSealed(missing, 'cli_1/doc_1', CONTENT)).rejects.toBeInstanceOf(DocumentsAway);
  });
});
