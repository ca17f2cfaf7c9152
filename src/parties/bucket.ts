import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import type { S3Settings } from '../kernel/config/s3';
import type { Content } from '../kernel/wire/file-type';

export interface BucketOptions {
  /** Time-out of one request, in milliseconds. */
  timeoutMs?: number;
  /** Delay before the second attempt, in milliseconds. It doubles before the third. */
  retryMs?: number;
}

/** A request to a bucket. */
export interface BucketRequest {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Name of the object. Empty: the bucket itself. */
  name: string;
  body?: Buffer | Content;
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** Statuses that are answers to this request, beside a success and 404. */
  accepted?: readonly number[];
  /** Gives a success as a stream. Its reader sets the pace, so the time-out ends with the head. */
  streams?: true;
}

export interface BucketAnswer {
  status: number;
  bytes: Buffer;
  /** The bytes of a success that streams. */
  stream?: AsyncIterable<Buffer>;
}

/** @throws the error of `away` unless the answer is a success, a 404 or an accepted status */
export type AskBucket = (request: BucketRequest) => Promise<BucketAnswer>;

const TIMEOUT_MS = 10_000;
const RETRY_MS = 200;
const TRIES = 3;

/**
 * Opens a bucket. Addresses use the path style, so that servers without a host name for each bucket work too. Requests are signed
 * (Signature Version 4) with the hash of their body, unless the body is a stream. Failures and throttling are retried; refusals are not.
 * @param away makes the error for a bucket that gives no usable answer
 */
export function createBucket(
  settings: S3Settings,
  { timeoutMs = TIMEOUT_MS, retryMs = RETRY_MS }: BucketOptions,
  away: (cause: unknown) => Error,
): AskBucket {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = settings;
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const base = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`;

  async function once(request: BucketRequest): Promise<BucketAnswer> {
    const { method, name, query = {}, streams } = request;
    const asked = new URLSearchParams(query).toString();
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(new Error('time-out')), timeoutMs);
    try {
      const response = await aws.fetch(`${base}/${name}${asked === '' ? '' : `?${asked}`}`, {
        method,
        ...sentOf(request),
        signal: slow.signal,
        redirect: 'error',
      });
      const { status } = response;
      if (streams && response.ok) return { status, bytes: Buffer.alloc(0), stream: portionsOf(response) };
      return { status, bytes: Buffer.from(await response.arrayBuffer()) };
    } finally {
      clearTimeout(timer);
    }
  }

  return async (request) => {
    const isAccepted = (answer: BucketAnswer) =>
      isSuccess(answer) || answer.status === 404 || (request.accepted ?? []).includes(answer.status);
    for (let tried = 1; ; tried += 1) {
      const [answer, fault] = await settled(request.method, once(request));
      if (answer && isAccepted(answer)) return answer;
      const mayPass = !answer || answer.status >= 500 || answer.status === 429 || answer.status === 408;
      if (tried === TRIES || !mayPass) throw away(fault);
      await sleep(retryMs * 2 ** (tried - 1));
    }
  };
}

/** Headers and body of a request. A stream tells its length, because S3 refuses bodies of an unknown length. */
function sentOf({ body, headers }: BucketRequest) {
  const type: Record<string, string> = body ? { 'content-type': 'application/octet-stream' } : {};
  if (body && !Buffer.isBuffer(body))
    return {
      headers: { ...type, 'content-length': String(body.size), ...headers },
      body: ReadableStream.from(body.read()),
      duplex: 'half' as const,
    };
  const hash = createHash('sha256').update(body ?? '');
  return {
    headers: { 'x-amz-content-sha256': hash.digest('hex'), ...type, ...headers },
    ...(body ? { body: new Uint8Array(body) } : {}),
  };
}

async function* portionsOf({ body }: Response): AsyncGenerator<Buffer> {
  for await (const chunk of body ?? []) yield Buffer.from(chunk as Uint8Array);
}

/** An attempt's answer and its fault. The answer is absent when the connection broke or timed out. */
async function settled(method: string, attempt: Promise<BucketAnswer>): Promise<[BucketAnswer?, unknown?]> {
  try {
    const answer = await attempt;
    return [answer, faultOf(method, answer)];
  } catch (error) {
    return [undefined, error];
  }
}

export const isSuccess = ({ status }: BucketAnswer) => status >= 200 && status < 300;

/** The code of an error document: `<Error><Code>NoSuchKey</Code>…`. */
export function codeOf({ status, bytes }: BucketAnswer): string | undefined {
  return status < 300 ? undefined : /<Code>(\w{1,80})<\/Code>/.exec(bytes.toString('utf8'))?.[1];
}

/** A fault for the log. It holds the status and the code, but nothing of the request. */
export function faultOf(method: string, answer: BucketAnswer): Error {
  return new Error(`S3 answered ${method} with ${answer.status} ${codeOf(answer) ?? ''}`.trimEnd());
}

/**
 * The objects whose names have a prefix, with their lengths, read page by page.
 * @param away makes the error for an answer that is no list
 */
export async function listObjects(
  ask: AskBucket,
  prefix: string,
  away: (cause: Error) => Error,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let token: string | undefined = ''; token !== undefined; ) {
    const query = { 'list-type': '2', prefix, ...(token === '' ? {} : { 'continuation-token': token }) };
    const answer = await ask({ method: 'GET', name: '', query });
    if (!isSuccess(answer)) throw away(faultOf('GET', answer));
    const text = answer.bytes.toString();
    for (const [, object = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs))
      found.set(
        /<Key>([^<]*)<\/Key>/.exec(object)?.[1] ?? '',
        Number(/<Size>(\d+)<\/Size>/.exec(object)?.[1] ?? 0),
      );
    token = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(text)?.[1];
  }
  return found;
}
