import { invalid, notFound, unavailable } from '../../../kernel/errors';
import type { Resolve } from '../../../kernel/security/allowed-addresses';
import { fieldPath } from '../../../kernel/wire/json';
import { checkUrl } from '../../../kernel/wire/reached-url';
import { assertAsShown } from '../../../kernel/wire/shown-fields';
import { ChainAway, ChainRefused, NodesDisagree } from '../../../parties/chain/errors';
import type { Block, ChainNode } from '../../../parties/chain/port';
import type { Parties } from '../../../parties/parties';
import type { Services } from '../../../services';
import { isMasked, unmasked } from '../addresses';
import { requireChainAnswer } from '../nodes/chain-answer';
import { assertHosts } from '../nodes/hosts';
import { findOpened, isReachedAlike, type NetworkTerms, type OpenedNetwork, termsOf } from '../operations';
import { isChainName, type NetworkAsset } from '../record';
import { networkView } from '../view';
import { assetField, checkedFields, type NetworkInput, SHOWN } from './network-input';

type Needed = Asking & Pick<Services, 'mode' | 'leastNodeHosts'>;
/** Services that asking a network's nodes needs. */
type Asking = Pick<Services, 'database' | 'keyring'> & { parties: Pick<Parties, 'chain'> };

export interface Judged {
  terms: NetworkTerms;
  /** Newest block of a network that this change enables. Reading begins after it. */
  head: Block | undefined;
}

/**
 * Returns the terms that a PUT means, checked against DNS and the chain's own nodes. Runs outside of any transaction,
 * because both may be slow. Invalid fields are reported before an outdated version, which the save refuses.
 * @throws Problem 404 for a chain without a network, unless the version is 0; 400 naming the field; 503 when the nodes
 *   of an enabled network do not answer
 */
export async function judgedTerms(
  services: Needed,
  chain: string,
  given: NetworkInput,
  resolve: Resolve,
): Promise<Judged> {
  const before = await findOpened(services, services.database, chain);
  if (!before && given.version !== 0) throw notFound('network');
  if (!isChainName(chain))
    throw invalid(
      'chain must start with a lower-case letter and have at most 32 lower-case letters, digits and dashes.',
      'chain',
    );
  const fields = checkedFields(chain, given, before?.network);
  const isStale = (before?.network.version ?? 0) !== given.version;
  if (before && !isStale) assertAsShown(given, networkView(before), SHOWN);
  const rpcUrls = await checkedUrls(services, meant(given.rpcUrls, before, isStale), resolve);
  const terms = { ...fields, rpcUrls };
  if (terms.enabled && !isStale) assertHosts(rpcUrls, services.leastNodeHosts);
  if (isStale && rpcUrls.length === 0) return { terms, head: undefined };
  return { terms, head: await askNodes(services, chain, terms, { before, isStale }) };
}

/**
 * Asks the nodes again about checked terms, directly before they are saved.
 * @returns newest block when this change enables the network
 * @throws Problem 400 naming the field; 503 when the nodes of an enabled network do not answer
 */
export async function judgedAgain(
  services: Asking,
  chain: string,
  terms: NetworkTerms,
): Promise<Block | undefined> {
  const before = await findOpened(services, services.database, chain);
  return askNodes(services, chain, terms, { before, isStale: false });
}

/**
 * Resolves masked addresses. Drops masks read with another version, because they may stand for addresses that are no
 * longer stored.
 */
function meant(
  given: readonly string[] | undefined,
  before: OpenedNetwork | undefined,
  isStale: boolean,
): readonly string[] {
  const stored = before?.rpcUrls ?? [];
  if (isStale) return given?.filter((url) => !isMasked(url)) ?? [];
  return given ? unmasked(given, stored) : stored;
}

async function checkedUrls({ mode }: Needed, given: readonly string[], resolve: Resolve): Promise<string[]> {
  const policy = { allowLoopback: mode === 'sandbox' };
  const urls = await Promise.all(
    given.map((url, place) =>
      checkUrl(url, policy, resolve, { field: fieldPath(['rpcUrls', place]), credentials: 'taken' }),
    ),
  );
  const texts = urls.map(({ href }) => href);
  if (new Set(texts).size < texts.length) throw invalid('rpcUrls must not name a node twice.', 'rpcUrls');
  return texts;
}

/** @returns newest block when this change enables the network */
async function askNodes(
  { parties }: Asking,
  chain: string,
  terms: NetworkTerms,
  { before, isStale }: { before: OpenedNetwork | undefined; isStale: boolean },
): Promise<Block | undefined> {
  const { kind, chainId, rpcUrls, requestsPerSecond, assets } = terms;
  const node = parties.chain.of({ chain, kind, chainId, rpcUrls, requestsPerSecond });
  const answers = await node.chainIds();
  const other = answers.find((said) => said.chainId !== chainId);
  if (other) throw invalid(`chainId must be the one that the node reports: ${other.chainId}.`, 'chainId');
  // Nodes are not asked when, for instance, only a minimum deposit changes.
  const isNeeded =
    terms.enabled && !isStale && !(before?.network.enabled && isReachedAlike(terms, termsOf(before)));
  const isAway =
    answers.length === 0 ||
    !(await judgeFeeModel(node, terms)) ||
    !(await judgeFinality(node, terms)) ||
    !(await judgeAssets(node, assets));
  if (isAway && isNeeded) throw unavailable('The chain cannot be reached; nothing was recorded.');
  return isNeeded && !before?.network.enabled ? requireChainAnswer(node.head()) : undefined;
}

/**
 * @returns false when the node did not answer
 * @throws Problem 400 when the chain's contracts show another model
 */
async function judgeFeeModel(node: ChainNode, { feeModel }: NetworkTerms): Promise<boolean> {
  try {
    const shown = await node.feeModel();
    if (shown !== feeModel)
      throw invalid(`feeModel must be the one that the chain's contracts show: ${shown}.`, 'feeModel');
    return true;
  } catch (error) {
    if (error instanceof ChainAway) return false;
    throw error;
  }
}

/**
 * @returns false when no node answered
 * @throws Problem 400 when most nodes do not know the tag
 */
async function judgeFinality(node: ChainNode, { finality }: NetworkTerms): Promise<boolean> {
  if (finality === 'confirmations') return true;
  try {
    await node.taggedHeight(finality);
    return true;
  } catch (error) {
    if (error instanceof NodesDisagree)
      throw invalid(`finality must be a tag that most nodes report: ${finality} is none.`, 'finality');
    if (error instanceof ChainAway) return false;
    throw error;
  }
}

/**
 * @returns false when the node did not answer
 * @throws Problem 400 naming the field that the node contradicts
 */
async function judgeAssets(node: ChainNode, assets: readonly NetworkAsset[]): Promise<boolean> {
  for (const [place, { contract, decimals }] of assets.entries()) {
    if (contract === null) continue;
    const said = await decimalsOf(node, contract);
    if (said === 'away') return false;
    if (said === 'no token')
      throw invalid('contract must be the address of a token on the chain.', assetField(place, 'contract'));
    if (said !== decimals)
      throw invalid(`decimals must be those of the token: ${said}.`, assetField(place, 'decimals'));
  }
  return true;
}

async function decimalsOf(node: ChainNode, contract: string): Promise<number | 'away' | 'no token'> {
  try {
    return await node.decimals(contract);
  } catch (error) {
    if (error instanceof ChainRefused) return 'no token';
    if (error instanceof ChainAway) return 'away';
    throw error;
  }
}
