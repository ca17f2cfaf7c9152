import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { SIGNATURE_HEADER, signMessage } from '../../src/parties/protocol/signature';

/** Destination of the card processor's messages, and its secret. */
export interface Line {
  /** Address of the API, without a trailing slash. */
  url: string;
  secret: Buffer;
}

const ATTEMPTS = 20;

/**
 * Sends a message until the answer is 200.
 * @returns the answer, and the duration of its attempt in milliseconds
 * @throws Error when no answer comes
 */
export async function answered(
  line: Line,
  type: string,
  message: string,
): Promise<{ text: string; ms: number }> {
  let last = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const began = performance.now();
    const { status, text } = await send(line, message).catch((error: Error) => ({
      status: 0,
      text: error.message,
    }));
    if (status === 200) return { text, ms: performance.now() - began };
    last = `${type} was answered ${status}: ${text}`;
    if (![0, 409, 503].includes(status)) break;
    await sleep(100 * (attempt + 1));
  }
  throw new Error(last);
}

async function send({ url, secret }: Line, message: string): Promise<{ status: number; text: string }> {
  const raw = Buffer.from(message);
  const { statusCode, body } = await request(`${url}/processor/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signMessage(raw, secret, new Date()) },
    body: raw,
  });
  return { status: statusCode, text: await body.text() };
}

/** Reads the state of a challenge, with a signature over the path. @returns its status */
export async function statusOfChallenge({ url, secret }: Line, challengeId: string): Promise<string> {
  const path = `/processor/v1/challenges/${challengeId}`;
  const signature = signMessage(Buffer.from(path), secret, new Date());
  const { statusCode, body } = await request(url + path, { headers: { [SIGNATURE_HEADER]: signature } });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`);
  return (JSON.parse(text) as { status: string }).status;
}
