import { request } from 'undici';
import type { Person } from '../support';

/** What a browser was shown. */
export interface Shown {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A browser without a script: it keeps the cookie, and sends forms with the hidden fields of their page. */
export interface Visitor {
  /** The value of the cookie header. Empty without a session. */
  cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Shown>;
  post(
    path: string,
    fields: Record<string, string> | [string, string][],
    headers?: Record<string, string>,
  ): Promise<Shown>;
}

export function visitor(url: string): Visitor {
  const own: Visitor = { cookie: '', get, post };
  async function ask(method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string) {
    const given = { ...(own.cookie === '' ? {} : { cookie: own.cookie }), ...headers };
    const answer = await request(url + path, {
      method,
      headers: given,
      ...(body === undefined ? {} : { body }),
    });
    const set = answer.headers['set-cookie'];
    if (set !== undefined) own.cookie = String([set].flat()[0]).split(';')[0] as string;
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }
  function get(path: string, headers: Record<string, string> = {}) {
    return ask('GET', path, headers);
  }
  function post(
    path: string,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
  ) {
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: url, ...headers };
    return ask('POST', path, form, new URLSearchParams(fields).toString());
  }
  return own;
}

/** Signs in by the form. */
export async function entered(url: string, { name, secret }: Person): Promise<Visitor> {
  const made = visitor(url);
  const { status, headers } = await made.post('/sign-in', { name, secret, code: '', to: '/work' });
  if (status !== 303 || headers['location'] !== '/work') throw new Error(`${name} cannot sign in: ${status}`);
  return made;
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const plain = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (each) => ENTITIES[each] as string);

/** The hidden fields of the form that is sent to the path, in order. */
export function hiddenPairs(text: string, path: string): [string, string][] {
  const forms = [...text.matchAll(/<form [^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  const [, , body = ''] = forms.find(([, action = '']) => plain(action) === path) ?? [];
  const fields = [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return fields.map(([, name = '', value = '']) => [plain(name), plain(value)]);
}

/** The hidden fields by name. */
export const hiddenOf = (text: string, path: string): Record<string, string> =>
  Object.fromEntries(hiddenPairs(text, path));

/** The text of a page without its tags. */
export const wordsIn = (text: string): string =>
  plain(text.replaceAll('<wbr>', '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
