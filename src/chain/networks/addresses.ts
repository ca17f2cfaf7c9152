import { isIP } from 'node:net';
import { invalid } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import { fieldPath } from '../../kernel/wire/json';

/** Purpose of the key that seals node addresses, because they may hold credentials. */
const PURPOSE = 'network-rpc-urls';

export const sealUrls = (keyring: Keyring, chain: string, urls: readonly string[]): Buffer =>
  keyring.sealer(PURPOSE).seal(Buffer.from(JSON.stringify(urls)), chain);

export const openUrls = (keyring: Keyring, chain: string, sealed: Buffer): string[] =>
  JSON.parse(keyring.sealer(PURPOSE).open(sealed, chain).toString('utf8')) as string[];

const HIDDEN = '***';
export const isMasked = (text: string): boolean => text.includes(HIDDEN);

/**
 * Masks the credentials of a node's address. Providers put keys into the user part, a host label, the path or the
 * query.
 */
export function maskUrl(text: string): string {
  const { protocol, username, password, hostname, port, pathname, search, hash } = new URL(text);
  const host = maskHost(hostname) + (port === '' ? '' : `:${port}`);
  const user = username === '' && password === '' ? '' : `${HIDDEN}@`;
  return `${protocol}//${user}${host}/${pathname + search + hash === '/' ? '' : HIDDEN}`;
}

function maskHost(hostname: string): string {
  const labels = hostname.split('.');
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || labels.length <= 2) return hostname;
  return [HIDDEN, ...labels.slice(-2)].join('.');
}

/**
 * Replaces each masked address by the stored address that it was shown for. Where several stored addresses look alike,
 * the one at the same position is taken, else the first unused one.
 * @throws Problem 400 naming `rpcUrls` for a mask that matches no stored address, and where only some of several
 *   addresses that look alike are kept
 */
export function unmasked(given: readonly string[], stored: readonly string[]): string[] {
  const left: (string | undefined)[] = [...stored];
  const take = (place: number): string | undefined => left.splice(place, 1, undefined)[0];
  assertNoneGuessed(given, stored.map(maskUrl));
  const isShownAs = (mask: string) => (url: string | undefined) => url !== undefined && maskUrl(url) === mask;
  const atTheirPlace = given.map((url, place) =>
    isMasked(url) && isShownAs(url)(left[place]) ? take(place) : undefined,
  );
  return given.map((url, place) => {
    if (!isMasked(url)) return url;
    const elsewhere = atTheirPlace[place] === undefined ? left.findIndex(isShownAs(url)) : -1;
    const meant = elsewhere < 0 ? atTheirPlace[place] : take(elsewhere);
    if (meant === undefined)
      throw invalid('rpcUrls contains a mask that matches no stored address.', fieldPath(['rpcUrls', place]));
    return meant;
  });
}

function assertNoneGuessed(given: readonly string[], shown: readonly string[]): void {
  const count = (list: readonly string[], mask: string) => list.filter((each) => each === mask).length;
  const isUnclear = (mask: string) => count(shown, mask) > 1 && count(given, mask) !== count(shown, mask);
  if (given.some((url) => isMasked(url) && isUnclear(url)))
    throw invalid(
      'rpcUrls contains a mask that matches several stored addresses: give the whole address.',
      'rpcUrls',
    );
}
