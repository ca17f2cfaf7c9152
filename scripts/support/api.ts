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
