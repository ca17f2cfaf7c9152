import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Credential {
  clientId: string;
  clientSecret: string;
}

/** The demo credentials that `npm start` writes. */
export interface Credentials {
  baseUrl: string;
  temporalUi: string;
  client: Credential;
  admin: Credential;
  operator: { name: string; operatorSecret: string };
}

/** @throws Error when no product runs here */
export function readCredentials(dataDir: string): Credentials {
  const path = join(dataDir, 'credentials.json');
  if (!existsSync(path)) throw new Error(`There is no ${path}: run \`npm start\` in another terminal first.`);
  return JSON.parse(readFileSync(path, 'utf8')) as Credentials;
}

/** A JSON object of the API. */
export type Json = Record<string, any>;

export type Call = (
  method: string,
  path: string,
  body?: Json,
  headers?: Record<string, string>,
) => Promise<Json>;

/** Returns a caller of the API with a credential. It throws an Error with the answer when the status is no success. */
export function callerOf(baseUrl: string, { clientId, clientSecret }: Credential): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-client-id': clientId,
        'x-client-secret': clientSecret,
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Json);
  };
}
