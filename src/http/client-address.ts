import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type AddressList, isListed } from '../kernel/security/address-lists';

/**
 * The address that a request comes from. Each trusted proxy adds the address that it saw to `X-Forwarded-For`. The list is
 * therefore read from its end, up to the first address that is no trusted proxy. The caller may have made up the rest.
 */
export function addressBehind({ socket, headers }: IncomingMessage, trusted: AddressList): string {
  let address = socket.remoteAddress ?? '';
  const forwarded = headers['x-forwarded-for'];
  const seen = (Array.isArray(forwarded) ? forwarded.join() : (forwarded ?? '')).split(',');
  while (isListed(trusted, address)) {
    const before = seen.pop()?.trim() ?? '';
    if (isIP(before) === 0) break;
    address = before;
  }
  return address;
}
