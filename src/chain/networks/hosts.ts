import { invalid } from '../../kernel/errors';
import type { Services } from '../../services';
import type { OpenedNetwork } from './operations';

/** Fewer nodes than that cannot outvote a wrong one. */
const ADVISED_HOSTS = 3;

/** Nodes of one host are one party: it decides what all of them say. */
export const hostsOf = (rpcUrls: readonly string[]): Set<string> =>
  new Set(rpcUrls.map((url) => new URL(url).hostname.toLowerCase().replace(/\.$/, '')));

/** @throws Problem 400 naming `rpcUrls` where the nodes are of too few hosts */
export function assertHosts(rpcUrls: readonly string[], least: number): void {
  if (hostsOf(rpcUrls).size < least)
    throw invalid(
      `rpcUrls must name nodes of ${least} different hosts, so that no one is believed alone.`,
      'rpcUrls',
    );
}

/** Tells a person, live, that one more node is wanted. */
export function warnOfFewHosts(
  { log, mode }: Pick<Services, 'log' | 'mode'>,
  { network: { chain, enabled }, rpcUrls }: OpenedNetwork,
): void {
  const hosts = hostsOf(rpcUrls).size;
  if (mode === 'live' && enabled && hosts < ADVISED_HOSTS)
    log.warn(
      { chain, hosts },
      'a network has nodes of fewer than three hosts: one of two that differ stops its deposits',
    );
}
