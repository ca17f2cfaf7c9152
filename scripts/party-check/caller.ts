import { request } from 'undici';
import type { Answered } from '../../src/parties/protocol/meanings';
import { authorizationFor } from '../../src/parties/protocol/signature';

export interface Asked {
  method: 'GET' | 'POST';
  path: string;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  key?: string;
  /** null: no header. When absent: the correct token. */
  authorization?: string | null;
}

/** The result of a request. Without an answer `status` is absent. */
export interface Reply extends Answered {
  text: string;
}

export type Ask = (asked: Asked) => Promise<Reply>;

/** The product's own time-out. */
const TIMEOUT_MS = 10_000;

/** @returns a function that calls the party as the product does. Every result is a reply; it never throws. */
export function createCaller(baseUrl: string, secret: Buffer): Ask {
  const right = authorizationFor(secret);
  return async ({ method, path, body, key, authorization = right }) => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    try {
      const { statusCode, body: answer } = await request(baseUrl + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(authorization === null ? {} : { authorization }),
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(sent === undefined ? {} : { body: sent }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return replyOf(statusCode, await answer.text());
    } catch (error) {
      const { code, message } = error as Error & { code?: unknown };
      // The code of a time-out is a number without meaning for a reader.
      const text = typeof code === 'string' ? code : message;
      return { unsent: /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(text), text };
    }
  };
}

function replyOf(status: number, text: string): Reply {
  try {
    return { status, text, body: JSON.parse(text) as unknown };
  } catch {
    return { status, text };
  }
}

export const isDone = ({ status = 0, body }: Reply): boolean =>
  status >= 200 && status < 300 && body !== undefined;

/** A short text of the reply for a report. */
export function describeReply({ status, text }: Reply): string {
  const short = text.replace(/\s+/g, ' ').slice(0, 160);
  return status === undefined ? `no answer (${short})` : `${status} ${short || 'without a body'}`;
}
