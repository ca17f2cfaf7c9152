import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { PARTIES, PARTY_FACTS, type Party, partyVariable } from '../parties';

/** Base URL of a party, and the secret that we share with it. */
export interface PartyAddress {
  /** Without a trailing slash. */
  url: string;
  secret: Buffer;
}

/** `off`: the party is left out. Absent: the sandbox's simulated party, which live mode does not have. */
export type PartySettings = Readonly<Partial<Record<Party, PartyAddress | 'off'>>>;

/** Secrets that are given for the parties that this process serves. */
export type PartySecrets = Readonly<Partial<Record<Party, Buffer>>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Minimum length of a secret, as long as the HMAC that it keys. */
const SECRET_BYTES = 32;

/**
 * Reads the variables of the parties: `PARTY_<NAME>_URL` with `PARTY_<NAME>_SECRET`, or `PARTY_<NAME>=off`.
 * @returns the settings, and a line for each wrong variable, without its value
 */
export function readPartySettings(given: Environment): { settings: PartySettings; wrong: string[] } {
  const read = PARTIES.map((party) => [party, readParty(party, given)] as const);
  const wrong = read.flatMap(([, { lines = [] }]) => lines);
  return { settings: Object.fromEntries(read.map(([party, { setting }]) => [party, setting])), wrong };
}

/** Reads the secrets of a process that serves the sandbox's parties: `PARTY_<NAME>_SECRET`. */
export function readPartySecrets(given: Environment): { secrets: PartySecrets; wrong: string[] } {
  const named = PARTIES.map((party) => [party, `${partyVariable(party)}_SECRET`] as const).filter(
    ([, name]) => given[name] !== undefined,
  );
  return {
    secrets: Object.fromEntries(named.map(([party, name]) => [party, Buffer.from(given[name] ?? '')])),
    wrong: named.flatMap(([, name]) => wrongSecret(name, given[name])),
  };
}

/**
 * Lines for parties that a live installation neither configures nor leaves out. @param adapted parties with an adapter
 * of their own
 */
export const missingParties = (settings: PartySettings, adapted: readonly Party[]): string[] =>
  PARTIES.filter((party) => settings[party] === undefined && !adapted.includes(party)).map((party) => {
    const name = partyVariable(party);
    const { instead, without } = PARTY_FACTS[party];
    const ways = [`${name}_URL and ${name}_SECRET`, ...(instead ? [instead] : [])].join(', ');
    const off = `${name}=off${without ? ` (${without})` : ''}`;
    return `${ways}, or ${off}: MODE=live has no simulated parties`;
  });

interface ReadParty {
  setting?: PartyAddress | 'off';
  lines?: string[];
}

/** A party that Stripe is has no setting here, because its adapter is made from the settings of Stripe. */
function readParty(party: Party, given: Environment): ReadParty {
  const name = partyVariable(party);
  const [state, url, secret] = [given[name], given[`${name}_URL`], given[`${name}_SECRET`]];
  const states = PARTY_FACTS[party].byStripe ? ['off', 'stripe'] : ['off'];
  if (state !== undefined && !states.includes(state))
    return { lines: [`${name}: must be ${states.map((each) => `"${each}"`).join(', ')} or absent`] };
  if (url === undefined && secret === undefined) return state === 'off' ? { setting: 'off' } : {};
  if (state !== undefined)
    return { lines: [`${name}: must not be ${state} when ${name}_URL or ${name}_SECRET is given`] };
  const lines = [...wrongUrl(`${name}_URL`, url), ...wrongSecret(`${name}_SECRET`, secret)];
  if (lines.length > 0) return { lines };
  const address = { url: (url ?? '').replace(/\/+$/, ''), secret: Buffer.from(secret ?? '') };
  return { setting: address };
}

function wrongSecret(name: string, secret: string | undefined): string[] {
  if (secret === undefined) return [`${name}: must be given with the URL`];
  return Buffer.byteLength(secret) < SECRET_BYTES ? [`${name}: must be at least ${SECRET_BYTES} bytes`] : [];
}

const wrongUrl = (name: string, text: string | undefined): string[] =>
  text === undefined ? [`${name}: must be given with the secret`] : wrongAddress(name, text);

/** Errors of an address that is neither https nor http to a private network. Empty for a valid one. */
export function wrongAddress(name: string, text: string): string[] {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return [`${name}: must be an https URL`];
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username + password + search + hash !== '')
    return [`${name}: must not have credentials, a query or a fragment`];
  return protocol === 'https:' || isNear(hostname)
    ? []
    : [
        `${name}: must be an https URL; http is allowed for this machine, private addresses and names without a dot`,
      ];
}

/**
 * Whether the host is on this machine or in a private network, where traffic is not read on the way. A name without a
 * dot is a service of a compose file.
 */
export function isNear(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return host === 'localhost' || !host.includes('.');
  return ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(host).range());
}
