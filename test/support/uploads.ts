import { randomBytes } from 'node:crypto';
import type { Content, UploadedFile } from '../../src/kernel/wire/file-type';
import type { Answer, Client } from './api';

/** A file of a form. `name` and `type` are the sender's values. */
export interface FormFile {
  bytes: Buffer;
  name?: string;
  type?: string;
}

export type FormParts = [field: string, value: string | FormFile][];

/** Returns the bytes of a multipart/form-data body, and its header. */
export function form(parts: FormParts): { body: Uint8Array; headers: Record<string, string> } {
  const boundary = `----${randomBytes(12).toString('hex')}`;
  const chunks = parts.flatMap(([field, value]) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${field}"`;
    if (typeof value === 'string') return [Buffer.from(`${head}\r\n\r\n${value}\r\n`)];
    const { bytes, name = 'photo.jpg', type = 'application/octet-stream' } = value;
    return [
      Buffer.from(`${head}; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ];
  });
  return {
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

export function upload(
  client: Client,
  path: string,
  parts: FormParts,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = form(parts);
  return client.call('POST', path, sent.body, { ...sent.headers, ...headers });
}

/** Returns the smallest bytes that are recognised as a JPEG, with the test's own bytes after them. */
export const jpeg = (more = '') =>
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), Buffer.from(`JFIF\0${more}`)]);
export const png = (more = '') =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    Buffer.from(`IHDR${more}`),
  ]);
export const pdf = (more = '') => Buffer.from(`%PDF-1.7\n${more}`);

/** Bytes as the documents store takes them, in chunks. */
export const contentOf = (bytes: Buffer, chunk = 64 * 1024): Content => ({
  size: bytes.length,
  async *read() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  },
});

/** A JPEG as an endpoint receives it. */
export const receivedJpeg = (): UploadedFile => ({
  ...contentOf(jpeg()),
  contentType: 'image/jpeg',
  sha256: '',
});

/** Uploads one document of a user. */
export function uploadDocument(client: Client, userId: string, slot: string, bytes = jpeg(slot)) {
  return upload(client, `/v1/users/${userId}/kyc/documents`, [
    ['slot', slot],
    ['file', { bytes }],
  ]);
}

/** Uploads a document for each of the slots. */
export async function uploadAll(
  client: Client,
  userId: string,
  slots = ['idFrontImg', 'idBackImg', 'idHoldImg'],
): Promise<string[]> {
  const ids: string[] = [];
  for (const slot of slots) {
    const { status, body, text } = await uploadDocument(client, userId, slot);
    if (status !== 201) throw new Error(`not uploaded: ${text}`);
    ids.push(body.id as string);
  }
  return ids;
}

export async function createUser(client: Client, meta: Record<string, unknown> = {}): Promise<string> {
  return (await client.call('POST', '/v1/users', { meta })).body.id as string;
}

/** Creates a user whose documents are in review. */
export async function userInReview(client: Client, meta: Record<string, unknown> = {}): Promise<string> {
  const userId = await createUser(client, meta);
  await uploadAll(client, userId);
  const submitted = await client.call('POST', `/v1/users/${userId}/kyc/submit`);
  if (submitted.status !== 200) throw new Error(`not submitted: ${submitted.text}`);
  return userId;
}
