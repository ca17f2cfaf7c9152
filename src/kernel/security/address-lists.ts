import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses and networks, parsed once. */
export type AddressList = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number][];

/** Whether the text is an address, or a network in CIDR notation: `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/48`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** @param networks texts that {@link isNetwork} accepts */
export const addressList = (networks: readonly string[]): AddressList =>
  networks.map((text) => {
    const [address = '', bits] = text.split('/');
    const parsed = ipaddr.parse(address);
    return [parsed, bits === undefined ? parsed.toByteArray().length * 8 : Number(bits)];
  });

/** Whether the list has the address. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export function isListed(list: AddressList, address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  return list.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}

/** The holder of an address, for counts by address: the IPv4 address, or the /64 of an IPv6 address. */
export function holderOf(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
