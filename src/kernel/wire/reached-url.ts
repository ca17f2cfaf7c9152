import { isIP } from 'node:net';
import { invalid } from '../errors';
import { type AddressPolicy, isAllowedAddress, type Resolve } from '../security/allowed-addresses';
import { type Credentials, readWebUrl } from './web-url';

/** DNS errors of a text that can never be a host name. */
const NOT_A_NAME = new Set(['EBADNAME', 'EBADQUERY']);

export interface ReachedUrl {
  /** Name of the field in errors. Default: `url`. */
  field?: string;
  credentials?: Credentials;
}

/**
 * Validates a URL that the product will call: https, or http to loopback in the sandbox, and only to public addresses.
 * Queries name servers, so call it outside of transactions.
 * @returns the parsed URL
 * @throws Problem 400 naming the field
 */
export async function checkUrl(
  text: string,
  policy: AddressPolicy,
  resolve: Resolve,
  { field = 'url', credentials = 'refused' }: ReachedUrl = {},
): Promise<URL> {
  const read = readWebUrl(text, policy.allowLoopback ? 'resolved' : 'nowhere', credentials);
  if ('wrong' in read) throw invalid(`${field} ${read.wrong}.`, field);
  const { url } = read;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) !== 0 ? [hostname] : await addressesOf(hostname, resolve, field);
  // An https name may resolve later, or its servers be away: the connection checks again. Names over http must resolve
  // to this machine now.
  const known = addresses.length > 0 || url.protocol === 'https:';
  if (known && addresses.every((address) => isAllowedAddress(address, url.protocol, policy))) return url;
  throw invalid(
    url.protocol === 'http:'
      ? `${field} must be https unless it leads to this machine.`
      : `${field} must not lead to a private, loopback, link-local or otherwise reserved address.`,
    field,
  );
}

async function addressesOf(hostname: string, resolve: Resolve, field: string): Promise<string[]> {
  try {
    return await resolve(hostname);
  } catch (error) {
    if (NOT_A_NAME.has((error as { code?: string }).code ?? ''))
      throw invalid(`${field} must name a host.`, field);
    return [];
  }
}
