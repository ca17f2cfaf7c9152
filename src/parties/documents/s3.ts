import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import type { S3Settings } from '../../kernel/config/config';
import { DocumentsAway, type SealedStore } from './port';

export interface S3Options {
  /** Time-out of one request, in milliseconds. */
  timeoutMs?: number;
  /** Delay before the second attempt, in milliseconds. It doubles before the third. */
  retryMs?: number;
}

const TIMEOUT_MS = 10_000;
const RETRY_MS = 200;
const TRIES = 3;

/**
 * Stores sealed bytes as objects of a bucket. Addresses use the path style, so that servers without a host name for
 * each bucket work too. Requests are signed (Signature Version 4) with the hash of their body. Failures and throttling
 * are retried; refusals are not.
 */
export function createS3Store(settings: S3Settings, options: S3Options = {}): SealedStore {
  const ask = createBucket(settings, options);
  return {
    async put(name, sealed) {
      const answer = await ask('PUT', name, sealed);
      if (!isSuccess(answer)) throw new DocumentsAway(faultOf('PUT', answer)); // the bucket does not exist
    },
    async get(name) {
      const answer = await ask('GET', name);
      if (isSuccess(answer)) return answer.bytes;
      if (codeOf(answer) === 'NoSuchBucket') throw new DocumentsAway(faultOf('GET', answer));
      return undefined;
    },
    async delete(name) {
      const answer = await ask('DELETE', name);
      if (codeOf(answer) === 'NoSuchBucket') throw new DocumentsAway(faultOf('DELETE', answer));
    },
  };
}

/** @throws DocumentsAway unless the answer is a success or a 404 */
type Ask = (method: string, name: string, body?: Buffer) => Promise<Answer>;

function createBucket(settings: S3Settings, { timeoutMs = TIMEOUT_MS, retryMs = RETRY_MS }: S3Options): Ask {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = settings;
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const base = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`;

  async function once(method: string, name: string, body?: Buffer): Promise<Answer> {
    const hash = createHash('sha256').update(body ?? '');
    const response = await aws.fetch(`${base}/${name}`, {
      method,
      headers: {
        'x-amz-content-sha256': hash.digest('hex'),
        ...(body ? { 'content-type': 'application/octet-stream' } : {}),
      },
      ...(body ? { body: new Uint8Array(body) } : {}),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  return async (method, name, body) => {
    for (let tried = 1; ; tried += 1) {
      const [answer, fault] = await settled(method, once(method, name, body));
      if (answer && (isSuccess(answer) || answer.status === 404)) return answer;
      const mayPass = !answer || answer.status >= 500 || answer.status === 429 || answer.status === 408;
      if (tried === TRIES || !mayPass) throw new DocumentsAway(fault);
      await sleep(retryMs * 2 ** (tried - 1));
    }
  };
}

/** An attempt's answer and its fault. The answer is absent when the connection broke or timed out. */
async function settled(method: string, attempt: Promise<Answer>): Promise<[Answer?, unknown?]> {
  try {
    const answer = await attempt;
    return [answer, faultOf(method, answer)];
  } catch (error) {
    return [undefined, error];
  }
}

interface Answer {
  status: number;
  bytes: Buffer;
}

const isSuccess = ({ status }: Answer) => status >= 200 && status < 300;

/** The code of an error document: `<Error><Code>NoSuchKey</Code>…`. */
function codeOf({ status, bytes }: Answer): string | undefined {
  return status < 300 ? undefined : /<Code>(\w{1,80})<\/Code>/.exec(bytes.toString('utf8'))?.[1];
}

/** A fault for the log. It holds the status and the code, but nothing of the request. */
function faultOf(method: string, answer: Answer): Error {
  return new Error(`S3 answered ${method} with ${answer.status} ${codeOf(answer) ?? ''}`.trimEnd());
}
