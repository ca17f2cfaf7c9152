import { isIP } from 'node:net';
import { invalid } from '../errors';
import { type AddressPolicy, isAllowedAddress, type Resolve } from '../security/allowed-addresses';
import { type Credentials, readWebUrl } from './web-url';

/** The resolver says that the text can be no one's name. */
const NOT_A_NAME = new Set(['EBADNAME', 'EBADQUERY']);

export interface ReachedUrl {
  /** Of the request; `url` when absent. */
  field?: string;
  credentials?: Credentials;
}

/**
 * Whether a URL that we are to call may be registered: https (in the sandbox http to loopback too), and no name that leads to
 * an address that is not public. Asks the name servers, so it is called outside of any transaction.
 * @returns the URL as it is read
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
  // A name may come to exist later, or its servers be away: the connection will judge. Over http it must be this machine's.
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
