import { request } from 'undici';
import type { Answered } from '../../src/parties/protocol/meanings';
import { authorizationFor } from '../../src/parties/protocol/signature';

export interface Asked {
  method: 'GET' | 'POST';
  path: string;
  /** As JSON; text goes as it is. */
  body?: unknown;
  key?: string;
  /** null: without any. The right one when absent. */
  authorization?: string | null;
}

/** What came of it; `status` absent: no answer. */
export interface Reply extends Answered {
  text: string;
}

export type Ask = (asked: Asked) => Promise<Reply>;

/** As long as the product waits. */
const TIMEOUT_MS = 10_000;

/** @returns requests to the party, as the product makes them; whatever comes is a reply */
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
      // That of a time-out is a number, which tells nobody anything.
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

/** For a report: what came, short. */
export function told({ status, text }: Reply): string {
  const short = text.replace(/\s+/g, ' ').slice(0, 160);
  return status === undefined ? `no answer (${short})` : `${status} ${short || 'without a body'}`;
}
