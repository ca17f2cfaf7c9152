import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** URLs in requests. {@link webUrl} parses all of them. They are stored, used and shown in normalised form. */

/** Longest URL in characters, as sent and as stored. */
export const URL_LENGTH = 2_048;

/**
 * Allowed targets of http URLs. https URLs may lead anywhere. `resolved`: loopback as well, but the caller checks it by
 * resolving the name.
 */
export type HttpTo = 'nowhere' | 'loopback' | 'resolved';

const LOOPBACK = 'must be an https URL, or an http URL of this machine';
const ALLOWED: Record<HttpTo, string> = {
  nowhere: 'must be an https URL',
  loopback: LOOPBACK,
  resolved: LOOPBACK,
};

/**
 * User name and password in the URL. Refused in URLs for browsers and webhooks, allowed in a node's address as its key.
 */
export type Credentials = 'refused' | 'taken';

/**
 * Outer spaces, control characters, lone surrogates and backslashes, which the WHATWG parser would silently drop or
 * fix.
 */
const MENDED = /^\s|\s$|[\p{Cc}\p{Cs}\\]/u;
/** Requires the slashes, because the parser also accepts `https:shop.example`. */
const ABSOLUTE = /^https?:\/\/[^/]/i;

/**
 * Parses a URL by the WHATWG standard. Its `href` is ASCII (punycode host, percent-encoded rest) and fits any header.
 * @returns the URL, or what is wrong, as a continuation of the field's name
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
    return { wrong: `must be at most ${URL_LENGTH} characters when percent-encoded` };
  return { url };
}

/** Whether the percent-encoding is valid. The URL parser accepts any `%`, but headers carry decoded credentials. */
function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded);
    return true;
  } catch {
    return false;
  }
}

/** Schema of a URL in a request. The output is the normalised text. */
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
      type: 'string',
      format: 'uri',
      maxLength: URL_LENGTH,
      examples: [example],
      description: `The URL ${ALLOWED[http]}, without credentials. The URL is stored percent-encoded, with its host in ASCII.`,
    });
}

/** A URL in a response. */
export const shownUrl = () => z.string().meta({ format: 'uri', maxLength: URL_LENGTH });

/**
 * Normalises a stored URL, or a party's URL, for a header. URLs that were stored before normalisation exist.
 * @throws TypeError for a text that is not a URL
 */
export const asciiUrl = (text: string): string => new URL(text).href;

function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name) !== 0 && ipaddr.process(name).range() === 'loopback';
}
