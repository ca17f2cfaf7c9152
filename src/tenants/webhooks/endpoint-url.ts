import { isIP } from 'node:net';
import { invalid } from '../../kernel/errors';
import { readWebUrl } from '../../kernel/wire/web-url';
import { type AddressPolicy, isAllowedAddress, type Resolve } from './allowed-addresses';

/** The resolver says that the text can be no one's name. */
const NOT_A_NAME = new Set(['EBADNAME', 'EBADQUERY']);

/**
 * Whether a URL may be registered: https (in the sandbox http to loopback too), no credentials, and no name that leads
 * to an address that is not public. Asks the name servers, so it is called outside of any transaction.
 * @throws Problem 400 naming `url`
 */
export async function checkUrl(text: string, policy: AddressPolicy, resolve: Resolve): Promise<void> {
  const read = readWebUrl(text, policy.allowLoopback ? 'resolved' : 'nowhere');
  if ('wrong' in read) throw invalid(`url ${read.wrong}.`, 'url');
  const { url } = read;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) !== 0 ? [hostname] : await addressesOf(hostname, resolve);
  // A name may come to exist later, or its servers be away: the connection will judge. Over http it must be this machine's.
  const known = addresses.length > 0 || url.protocol === 'https:';
  if (known && addresses.every((address) => isAllowedAddress(address, url.protocol, policy))) return;
  throw invalid(
    url.protocol === 'http:'
      ? 'url must be https unless it leads to this machine.'
      : 'url must not lead to a private, loopback, link-local or otherwise reserved address.',
    'url',
  );
}

async function addressesOf(hostname: string, resolve: Resolve): Promise<string[]> {
  try {
    return await resolve(hostname);
  } catch (error) {
    if (NOT_A_NAME.has((error as { code?: string }).code ?? ''))
      throw invalid('url must name a host.', 'url');
    return [];
  }
}
