import { Agent, request } from 'undici';

export interface Told {
  /** 0 where the connection ended without an answer. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The unchanged bytes, or what ended the connection. */
  text: string;
  /** The parsed JSON, or the text. */
  body: any;
}

/** @param body a text or bytes are sent as they are, anything else as JSON */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Told>;

/** A client that reads no answer for a minute has found a request that hangs. */
const connections = new Agent({ headersTimeout: 60_000, bodyTimeout: 60_000 });

/** Calls a listener with the same headers each time. The path is sent as it is written. */
export const asking =
  (url: string, own: Record<string, string> = {}): Ask =>
  async (method, path, body, headers = {}) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    try {
      const answer = await request(url + path, {
        method,
        headers: { ...own, ...type, ...headers },
        body: isRaw ? (body ?? null) : JSON.stringify(body),
        dispatcher: connections,
      });
      const text = await answer.body.text();
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text,
        body: parsedBody(answer.headers, text),
      };
    } catch (error) {
      return { status: 0, headers: {}, text: (error as Error).message, body: undefined };
    }
  };

function parsedBody(headers: Told['headers'], text: string): unknown {
  const isJson = String(headers['content-type'] ?? '').includes('json');
  return isJson && text ? JSON.parse(text) : text;
}
