import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Allowed targets of webhooks. Except for loopback, only https to public addresses. */
export interface AddressPolicy {
  /** Allows this machine, by http as well. For the sandbox. */
  allowLoopback: boolean;
}

/** IANA's global unicast range. All other IPv6 addresses (mapped, translated, local) are refused. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/** Public addresses that the host of a cloud answers itself. */
const HOST_SERVICES = new Set(['168.63.129.16']);

/**
 * Whether a connection to the address is allowed. An allow-list, so that unknown ranges are refused. An IPv4-mapped
 * IPv6 address is judged as its IPv4 address.
 */
export function isAllowedAddress(address: string, protocol: string, policy: AddressPolicy): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed.range() === 'loopback') return policy.allowLoopback;
  if (protocol !== 'https:' || parsed.range() !== 'unicast' || HOST_SERVICES.has(parsed.toString()))
    return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6);
}

/** Resolves a host name to all of its addresses. @throws Error with a DNS `code` when there are none */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Resolves by DNS servers directly. The system's resolver blocks one of Node's four helper threads per query, so a few
 * tenants with dead name servers would hold up everybody.
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
