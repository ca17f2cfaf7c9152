import { z } from 'zod';
import type { Tx } from '../../kernel/db/database';
import { keptDecimal } from '../../kernel/wire/schemas';
import { CHAIN_KINDS } from '../../parties/chain/port';
import { type Approval, type ConfigChange, requestApproval } from '../../process/approvals/operations';
import { isDualControlled } from '../../process/limits/operations';
import type { Services } from '../../services';
import { maskUrl, openUrls, sealUrls } from './addresses';
import type { NetworkTerms, OpenedNetwork } from './operations';
import type { NetworkAsset } from './record';

/** Kind of the approval. */
export const NETWORK_CHANGE = 'network.config';

/** Terms of the approval. Node addresses are sealed, because they may hold credentials. */
export const networkChange = z.object({
  chain: z.string(),
  version: z.int(),
  terms: z.object({
    name: z.string(),
    kind: z.enum(CHAIN_KINDS),
    chainId: z.int(),
    explorerUrl: z.string().nullable(),
    confirmations: z.int(),
    enabled: z.boolean(),
    assets: z.array(
      z.object({
        symbol: z.string(),
        contract: z.string().nullable(),
        decimals: z.int(),
        minDeposit: keptDecimal,
      }),
    ),
    rpcUrls: z.base64(),
  }),
});

export type NetworkChange = z.output<typeof networkChange>;

/** Marks new addresses, because masks of two addresses of one provider look the same. */
const masked =
  (stored: readonly string[]) =>
  ({ rpcUrls }: Pick<NetworkTerms, 'rpcUrls'>) =>
    rpcUrls.map((url) => maskUrl(url) + (stored.includes(url) ? '' : ' (new)')).join(' ');
const tokens = ({ assets }: Pick<NetworkTerms, 'assets'>) => assets.map(tokenText).join(' ');
const tokenText = ({ symbol, contract, decimals }: NetworkAsset) =>
  `${symbol}/${contract ?? 'native'}/${decimals}`;

/** Lists changes that make the network trust another node, another chain, fewer blocks or another token. */
function guardedChanges(before: OpenedNetwork | undefined, after: NetworkTerms): ConfigChange[] {
  const was = before && { ...before.network, rpcUrls: before.rpcUrls };
  const compared: [string, unknown, unknown, (terms: NetworkTerms) => string][] = [
    ['rpcUrls', was?.rpcUrls, after.rpcUrls, masked(before?.rpcUrls ?? [])],
    ['chainId', was?.chainId, after.chainId, ({ chainId }) => String(chainId)],
    ['confirmations', was?.confirmations, after.confirmations, ({ confirmations }) => String(confirmations)],
    ['assets', was && tokens(was), tokens(after), tokens],
  ];
  return compared
    .filter(([, from, to]) => JSON.stringify(from) !== JSON.stringify(to))
    .map(([field, , , text]) => ({ field, from: was ? text(was) : null, to: text(after) }));
}

export interface AskedNetworkChange {
  chain: string;
  before: OpenedNetwork | undefined;
  terms: NetworkTerms;
  requestedBy: string;
}

/** @returns the approval that waits for other people; undefined when one person may make the change */
export async function requestNetworkChange(
  { keyring, now }: Pick<Services, 'keyring' | 'now'>,
  tx: Tx,
  { chain, before, terms, requestedBy }: AskedNetworkChange,
): Promise<Approval | undefined> {
  const changes = guardedChanges(before, terms);
  if (changes.length === 0 || !(await isDualControlled(tx))) return undefined;
  const { name, kind, chainId, explorerUrl, confirmations, enabled, assets } = terms;
  const rpcUrls = sealUrls(keyring, chain, terms.rpcUrls).toString('base64');
  return requestApproval(tx, {
    kind: NETWORK_CHANGE,
    subject: chain,
    tenantId: null,
    money: null,
    changes,
    terms: {
      chain,
      version: before?.network.version ?? 0,
      terms: { name, kind, chainId, explorerUrl, confirmations, enabled, assets, rpcUrls },
    },
    reason: 'a change of the configuration',
    requestedBy,
    requestedAt: now(),
  });
}

/** The terms that an approval holds, with node addresses in clear. */
export const termsAsked = (
  { keyring }: Pick<Services, 'keyring'>,
  { chain, terms }: NetworkChange,
): NetworkTerms => ({
  ...terms,
  rpcUrls: openUrls(keyring, chain, Buffer.from(terms.rpcUrls, 'base64')),
});
