import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** URLs that callers give. All of them come in by {@link webUrl}, and are stored, used and shown as it reads them. */

/** Characters, as given and as stored. */
export const URL_LENGTH = 2_048;

/**
 * Where a URL may lead by http; by https it may lead anywhere. `resolved`: to this machine too, but whether it does is
 * judged by whoever asks the name servers.
 */
export type HttpTo = 'nowhere' | 'loopback' | 'resolved';

const LOOPBACK = 'must be an https URL, or an http URL of this machine';
const ALLOWED: Record<HttpTo, string> = {
  nowhere: 'must be an https URL',
  loopback: LOOPBACK,
  resolved: LOOPBACK,
};

/** A user name and password in it: of those that lead browsers or webhooks none, of a node's address they may be its key. */
export type Credentials = 'refused' | 'taken';

/** Whitespace around, a line break, a NUL, half of a character, a backslash: WHATWG's parser drops or mends them unsaid. */
const MENDED = /^\s|\s$|[\p{Cc}\p{Cs}\\]/u;
/** `https:shop.example` would be read, too. */
const ABSOLUTE = /^https?:\/\/[^/]/i;

/**
 * Reads a URL as the WHATWG does: its `href` is ASCII (punycode in the host, percent-encoding behind it) and fits any header.
 * @returns the URL, or what is wrong with the text, as a continuation of the field's name
 */
export function readWebUrl(
  text: string,
  http: HttpTo,
  credentials: Credentials = 'refused',
): { url: URL } | { wrong: string } {
  if (MENDED.test(text)) return { wrong: 'must not contain control characters, backslashes or outer spaces' };
  if (!ABSOLUTE.test(text) || !URL.canParse(text)) return { wrong: ALLOWED[http] };
  const url = new URL(text);
  const allowed =
    url.protocol === 'https:' || http === 'resolved' || (http === 'loopback' && isLoopback(url.hostname));
  if (!allowed) return { wrong: ALLOWED[http] };
  if (url.username !== '' || url.password !== '') {
    if (credentials === 'refused') return { wrong: 'must not carry credentials' };
    if (![url.username, url.password].every(isDecodable))
      return { wrong: 'must have well-formed credentials' };
  }
  if (url.href.length > URL_LENGTH)
    return { wrong: `must be at most ${URL_LENGTH} characters when it is encoded` };
  return { url };
}

/** Percent-encoded as it should be: the URL itself takes any `%`, a header's credentials are of the decoded text. */
function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded);
    return true;
  } catch {
    return false;
  }
}

/** The schema of a URL that a caller gives; read as its normalised text. */
export function webUrl(http: HttpTo, example: string) {
  return z
    .string()
    .max(URL_LENGTH)
    .transform((text, ctx) => {
      const read = readWebUrl(text, http);
      if ('url' in read) return read.url.href;
      ctx.issues.push({ code: 'custom', message: read.wrong, input: text });
      return z.NEVER;
    })
    .meta({
      ...{ type: 'string', format: 'uri', maxLength: URL_LENGTH, examples: [example] },
      description: `It ${ALLOWED[http]}, without credentials. Kept percent-encoded, its host in ASCII.`,
    });
}

/** A URL of ours or of a caller's, in an answer. */
export const shownUrl = () => z.string().meta({ format: 'uri', maxLength: URL_LENGTH });

/**
 * A stored or an outside party's URL as a header may carry it. What was stored before URLs were normalised is normalised
 * here.
 * @throws TypeError for what is no URL
 */
export const asciiUrl = (text: string): string => new URL(text).href;

function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name) !== 0 && ipaddr.process(name).range() === 'loopback';
}
