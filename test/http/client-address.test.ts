import type { IncomingMessage } from 'node:http';
import { addressBehind } from '../../src/http/client-address';
import { addressList } from '../../src/kernel/security/address-lists';

const TRUSTED = addressList(['10.0.0.0/8', '2001:db8::/32']);

const addressOf = (remoteAddress: string, forwarded?: string): string =>
  addressBehind(
    {
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage,
    TRUSTED,
  );

it.each([
  ['the socket, when it is no trusted proxy', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['what the trusted proxy saw', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['what the first of two trusted proxies saw', '10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
  ['no address that the caller made up', '10.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
  ['the proxy, when it names none', '10.0.0.1', undefined, '10.0.0.1'],
  ['the proxy, when it names nonsense', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['an IPv6 address', '2001:db8::1', '2a00::7', '2a00::7'],
  ['the last proxy, when all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
])('is %s', (_, socket, forwarded, expected) => {
  expect(addressOf(socket, forwarded)).toBe(expected);
});
