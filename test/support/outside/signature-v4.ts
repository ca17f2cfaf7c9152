import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Who may call a double of a service of AWS, and where it stands. */
export interface Signer {
  service: 's3' | 'kms';
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Headers that must be signed. */
  signs: readonly string[];
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string) => createHmac('sha256', key).update(data).digest();

/**
 * Computes a request's Signature Version 4 again by Amazon's specification, and compares the hash of the body.
 * @returns the protocol's error code, or undefined for a valid request
 */
export function faultOfSignature(request: IncomingMessage, body: Buffer, signer: Signer): string | undefined {
  const { service, region, accessKeyId, secretAccessKey, signs } = signer;
  const { authorization = '' } = request.headers;
  const [, credential = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const at = String(request.headers['x-amz-date']);
  const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`;
  if (credential !== `${accessKeyId}/${scope}`) return 'InvalidAccessKeyId';
  const hash = String(request.headers['x-amz-content-sha256'] ?? sha256(body));
  // A body whose hash is not known before it is sent. Its length is.
  if (hash === 'UNSIGNED-PAYLOAD') {
    if (Number(request.headers['content-length'] ?? 0) !== body.length) return 'MissingContentLength';
  } else if (hash !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const names = signed.split(';');
  if (!['host', 'x-amz-date', ...signs].every((name) => names.includes(name))) return 'AccessDenied';
  const headers = names.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join('');
  const [path, query = ''] = (request.url ?? '').split('?');
  const sorted = query.split('&').sort().join('&');
  const canonical = [request.method, path, sorted, headers, signed, hash].join('\n');
  const key = [service, 'aws4_request'].reduce<Buffer>(
    hmac,
    hmac(hmac(`AWS4${secretAccessKey}`, at.slice(0, 8)), region),
  );
  const expected = hmac(key, ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')).toString('hex');
  return signature === expected ? undefined : 'SignatureDoesNotMatch';
}
