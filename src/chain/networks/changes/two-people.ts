import type { z } from 'zod';
import type { Tx } from '../../../kernel/db/database';
import { createResolver, type Resolve } from '../../../kernel/security/allowed-addresses';
import type { DecisionSpec, Effect, SubjectSpec } from '../../../process/desk/decision';
import type { Services } from '../../../services';
import { maskUrl, openUrls, sealUrls } from '../addresses';
import type { Following } from '../following';
import { warnOfFewHosts } from '../nodes/hosts';
import { assertSavable, findOpened, type NetworkTerms, type OpenedNetwork, saveNetwork } from '../operations';
import { isChainName, type NetworkAsset, settingsOf } from '../record';
import { networkView } from '../view';
import { checkedFields, networkInput } from './network-input';
import { type Judged, judgedAgain, judgedTerms } from './update';

/** Name of the decision. */
export const NETWORK_CHANGE = 'network.config';

/** A chain by its name. Its network is undefined before it is created. */
export interface NamedNetwork {
  before: OpenedNetwork | undefined;
}

export type NetworkChangeServices = Pick<
  Services,
  'database' | 'keyring' | 'parties' | 'mode' | 'leastNodeHosts' | 'log' | 'now'
>;

/** The fields that the decision changes. The version is the desk's own. */
const changeInput = networkInput.omit({
  version: true,
  chain: true,
  createdAt: true,
  updatedAt: true,
  pending: true,
});

/** Terms as the nodes confirm them, and the version of the network that they were judged with. 0: there is none. */
export interface JudgedChange extends Judged {
  version: number;
}

/** The change that a PUT, or an operator at the desk, makes. Two people change what a network trusts. */
export type NetworkChange = DecisionSpec<NamedNetwork, z.output<typeof changeInput>, JudgedChange>;

export function networkChange(
  services: NetworkChangeServices,
  following: Following,
  resolve: Resolve = createResolver(),
): NetworkChange {
  const { keyring } = services;
  return {
    name: NETWORK_CHANGE,
    title: 'changes the configuration of a chain, or creates it; an absent field keeps its value',
    permission: 'chain',
    subject: subjectOf(services),
    input: changeInput,
    takesTwo: {
      underDualControl: (_, { subject: { before }, proof: { terms } }) =>
        guardedChanges(before, terms).length > 0,
    },
    restsOn: ({ before }) => ({ version: before?.network.version ?? 0 }),
    // The nodes are asked again at the approval, because their answers may have changed.
    async prove({ id: chain, input, secret }) {
      const before = await findOpened(services, services.database, chain);
      const version = before?.network.version ?? 0;
      if (secret === undefined)
        return { version, ...(await judgedTerms(services, chain, { ...input, version }, resolve)) };
      const sealed = (secret as { rpcUrls: string }).rpcUrls;
      const rpcUrls = [...openUrls(keyring, chain, Buffer.from(sealed, 'base64'))];
      const fields = checkedFields(chain, { ...input, rpcUrls, version }, before?.network);
      const terms = { ...fields, rpcUrls };
      return { version, terms, head: await judgedAgain(services, chain, terms) };
    },
    // Node addresses may hold credentials, so a stored approval has them sealed.
    sealed: async ({ id: chain, proof: { terms } }) => ({
      rpcUrls: sealUrls(keyring, chain, terms.rpcUrls).toString('base64'),
    }),
    kept: async (_, { proof: { terms } }) => keptTerms(terms),
    async preview(tx, { id: chain, proof: { terms, version } }) {
      const before = await assertSavable(services, tx, chain, terms, version, following);
      return [...guardedChanges(before, terms), ...otherChanges(before, terms)];
    },
    async execute(tx, { id: chain, proof }) {
      const { before, after } = await saveJudged({ services, following }, tx, chain, proof);
      const result = networkView(after);
      return {
        ...(before ? { before: networkView(before) } : {}),
        after: { ...result, rpcUrlsChanged: areOthers(before, after) },
        result,
      };
    },
  };
}

const subjectOf = (services: NetworkChangeServices): SubjectSpec<NamedNetwork> => ({
  noun: 'network',
  kinds: [],
  read: async (sql, chain) =>
    isChainName(chain) ? { before: await findOpened(services, sql, chain) } : undefined,
  lock: async (tx, chain) =>
    isChainName(chain) ? { before: await findOpened(services, tx, chain, { lock: 'update' }) } : undefined,
  tenantOf: () => null,
});

/** Saves judged terms, and begins to read the blocks of a chain that this enables. @throws Problem as `saveNetwork` */
async function saveJudged(
  { services, following }: { services: NetworkChangeServices; following: Following },
  tx: Tx,
  chain: string,
  { version, terms, head }: JudgedChange,
): Promise<{ before: OpenedNetwork | undefined; after: OpenedNetwork }> {
  const { before, after: network } = await saveNetwork(services, tx, chain, terms, version, following);
  if (head) await following.begin(tx, chain, head, services.now());
  const after = { network, rpcUrls: terms.rpcUrls };
  warnOfFewHosts(services, after);
  return { before, after };
}

/** All terms but the node addresses, as JSON of the input. */
function keptTerms(terms: NetworkTerms) {
  const settings = settingsOf(terms);
  return {
    ...settings,
    assets: settings.assets.map((asset) => ({ ...asset, minDeposit: asset.minDeposit.toFixed() })),
  };
}

/** Compares clear addresses, because masks of two addresses of one provider look the same. */
const areOthers = (before: OpenedNetwork | undefined, after: OpenedNetwork): boolean =>
  JSON.stringify(before?.rpcUrls) !== JSON.stringify(after.rpcUrls);

/** Marks new addresses, because masks of two addresses of one provider look the same. */
const masked =
  (stored: readonly string[]) =>
  ({ rpcUrls }: Pick<NetworkTerms, 'rpcUrls'>) =>
    rpcUrls.map((url) => maskUrl(url) + (stored.includes(url) ? '' : ' (new)')).join(' ');
const tokens = ({ assets }: Pick<NetworkTerms, 'assets'>) => assets.map(tokenText).join(' ');
const tokenText = ({ symbol, contract, decimals }: NetworkAsset) =>
  `${symbol}/${contract ?? 'native'}/${decimals}`;

/** Lists changes that make the network trust another node, another chain, fewer blocks or another token. */
function guardedChanges(before: OpenedNetwork | undefined, after: NetworkTerms): Effect[] {
  const was = before && { ...before.network, rpcUrls: before.rpcUrls };
  const compared: [string, unknown, unknown, (terms: NetworkTerms) => string][] = [
    ['rpcUrls', was?.rpcUrls, after.rpcUrls, masked(before?.rpcUrls ?? [])],
    ['chainId', was?.chainId, after.chainId, ({ chainId }) => String(chainId)],
    ['confirmations', was?.confirmations, after.confirmations, ({ confirmations }) => String(confirmations)],
    ['finality', was?.finality, after.finality, ({ finality }) => finality],
    ['assets', was && tokens(was), tokens(after), tokens],
  ];
  return compared
    .filter(([, from, to]) => JSON.stringify(from) !== JSON.stringify(to))
    .map(([field, , , text]) => ({ field, from: was ? text(was) : null, to: text(after) }));
}

const minima = ({ assets }: Pick<NetworkTerms, 'assets'>) =>
  assets.map(({ symbol, minDeposit }) => `${symbol} ${minDeposit.toFixed()}`).join(' ');

/** Lists the changes that one person may make. */
function otherChanges(before: OpenedNetwork | undefined, after: NetworkTerms): Effect[] {
  const texts: Record<string, (terms: Omit<NetworkTerms, 'rpcUrls'>) => string | null> = {
    name: ({ name }) => name,
    explorerUrl: ({ explorerUrl }) => explorerUrl,
    enabled: ({ enabled }) => String(enabled),
    feeModel: ({ feeModel }) => feeModel,
    requestsPerSecond: ({ requestsPerSecond: most }) => (most === null ? null : String(most)),
    minDeposit: minima,
  };
  return Object.entries(texts)
    .map(([field, text]) => ({ field, from: before ? text(before.network) : null, to: text(after) }))
    .filter(({ from, to }) => from !== to);
}
