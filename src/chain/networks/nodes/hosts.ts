import { invalid } from '../../../kernel/errors';
import type { Services } from '../../../services';
import type { OpenedNetwork } from '../operations';

/** With fewer hosts, the others cannot outvote a wrong one. */
const ADVISED_HOSTS = 3;

/**
 * The distinct hosts of node addresses. One host counts as one party, because it controls the answers of all its nodes.
 */
export const hostsOf = (rpcUrls: readonly string[]): Set<string> =>
  new Set(rpcUrls.map((url) => new URL(url).hostname.toLowerCase().replace(/\.$/, '')));

/** @throws Problem 400 naming `rpcUrls` when the nodes have fewer than `least` hosts */
export function assertHosts(rpcUrls: readonly string[], least: number): void {
  if (hostsOf(rpcUrls).size < least)
    throw invalid(
      `rpcUrls must name nodes of at least ${least} different hosts, so that no host is trusted alone.`,
      'rpcUrls',
    );
}

/** Logs a warning when an enabled live network has fewer than three hosts. */
export function warnOfFewHosts(
  { log, mode }: Pick<Services, 'log' | 'mode'>,
  { network: { chain, enabled }, rpcUrls }: OpenedNetwork,
): void {
  const hosts = hostsOf(rpcUrls).size;
  if (mode === 'live' && enabled && hosts < ADVISED_HOSTS)
    log.warn(
      { chain, hosts },
      'a network has nodes of fewer than three hosts: with two, one that differs stops its deposits',
    );
}
