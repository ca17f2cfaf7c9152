import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** Where webhooks may go. Elsewhere than on loopback only https, and only addresses of the public internet. */
export interface AddressPolicy {
  /** The sandbox may deliver to this machine, over http too. */
  allowLoopback: boolean;
}

/** All that IANA has given out for global unicast. Whatever lies beside it (mapped, translated, local) is refused. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/** Public by its number, but answered by the cloud's host itself. */
const HOST_SERVICES = new Set(['168.63.129.16']);

/**
 * Whether an address may be dialled: an allow-list, so that a range nobody thought of is refused. Addresses of IPv4 in
 * IPv6 clothes are judged as what they are.
 */
export function isAllowedAddress(address: string, protocol: string, policy: AddressPolicy): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed.range() === 'loopback') return policy.allowLoopback;
  if (protocol !== 'https:' || parsed.range() !== 'unicast' || HOST_SERVICES.has(parsed.toString()))
    return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6);
}

/** Nothing was sent: the address that would have been dialled is not allowed. */
export class AddressRefused extends Error {
  override name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';
}

/** Gives all addresses of a host name. @throws Error with a DNS `code` when there is none */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Asks the DNS servers directly. The system's own resolver would block one of Node's four helper threads a query: a few
 * tenants with dead name servers could hold up everyone's.
 */
export function createResolver(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (hostname) => {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [failure] = answers.filter((answer) => answer.status === 'rejected');
    if (found.length === 0) throw failure?.reason ?? new Error('no address');
    return found;
  };
}

export interface ConnectorOptions extends AddressPolicy {
  resolve: Resolve;
  /** Certificates to trust beside the system's: for tests. */
  ca?: string;
  timeoutMs: number;
}

/**
 * Connects for undici, with TLS 1.2 at least, to allowed addresses only. The address is judged where it is dialled, not
 * where the URL was registered: a name may lead elsewhere by now.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { ca, timeoutMs: timeout } = options;
  const connectors = new Map(
    ['http:', 'https:'].map((protocol) => [
      protocol,
      buildConnector({
        timeout,
        minVersion: 'TLSv1.2',
        ...(ca ? { ca } : {}),
        lookup: guardedLookup(options, protocol),
      }),
    ]),
  );
  return (target, callback) => {
    const allowed = (address = '') => isAllowedAddress(address, target.protocol, options);
    const connect = connectors.get(target.protocol);
    // A literal address is dialled without a lookup.
    if (!connect || (isIP(target.hostname) !== 0 && !allowed(target.hostname))) {
      queueMicrotask(() => callback(new AddressRefused('the address is not allowed'), null));
      return;
    }
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (allowed(socket.remoteAddress)) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefused('the address is not allowed'), null);
    });
  };
}

function guardedLookup(options: ConnectorOptions, protocol: string): LookupFunction {
  return (hostname, { all }, callback) => {
    options.resolve(hostname).then(
      (addresses) => {
        const allowed = addresses
          .filter((address) => isAllowedAddress(address, protocol, options))
          .map((address) => ({ address, family: isIP(address) }));
        const [first] = allowed;
        if (!first) callback(new AddressRefused('no allowed address'), '');
        else if (all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
