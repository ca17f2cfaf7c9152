import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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
 * Whether an address may be dialled: an allow-list, so that a range nobody thought of is refused. An IPv4 address that is
 * mapped into IPv6 is judged as the IPv4 address.
 */
export function isAllowedAddress(address: string, protocol: string, policy: AddressPolicy): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed.range() === 'loopback') return policy.allowLoopback;
  if (protocol !== 'https:' || parsed.range() !== 'unicast' || HOST_SERVICES.has(parsed.toString()))
    return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6);
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
