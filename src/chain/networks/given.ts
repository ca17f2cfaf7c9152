import { z } from 'zod';
import { invalid } from '../../kernel/errors';
import { ASSETS } from '../../kernel/money/currencies';
import { amountOrZero, assertFits, text } from '../../kernel/wire/schemas';
import { URL_LENGTH, webUrl } from '../../kernel/wire/web-url';
import { checkedAddress } from '../../parties/chain/addresses';
import { assertAsShown, shownField } from '../shown-fields';
import type { Network, NetworkAsset } from './record';
import { NATIVE_DECIMALS } from './rules';

/** No chain takes longer; a node is asked for all blocks of so many. */
const MOST_CONFIRMATIONS = 10_000;
const MOST_NODES = 10;

/** A token's amounts must be exact in Decimal at any size. */
const MOST_DECIMALS = 36;

/** What is shown of a network and is not set. */
export const SHOWN = ['createdAt', 'updatedAt'] as const;

/** What a PUT says of a network: all that can be set, and the version that was read. */
export const givenNetwork = z.strictObject({
  chain: shownField(),
  name: text(100).min(1),
  kind: z.enum(['evm', 'tron']).optional().meta({ description: 'Needed where it is made; never changed.' }),
  chainId: z.int().min(1).nullish().meta({ description: 'EIP-155; needed of `evm`, none of `tron`.' }),
  rpcUrls: z
    .array(z.string().min(1).max(URL_LENGTH))
    .max(MOST_NODES)
    .meta({
      description: 'In the order in which they are asked; a masked one, as it is read, keeps the stored one.',
      examples: [['https://node.example/v3/key']],
    }),
  explorerUrl: webUrl('nowhere', 'https://explorer.example').nullish(),
  confirmations: z
    .int()
    .min(1)
    .max(MOST_CONFIRMATIONS)
    .meta({ description: 'So many blocks make a payment final; its own counts.' }),
  enabled: z.boolean().meta({ description: 'Whether its blocks are read, and wallets are allocated.' }),
  assets: z
    .array(
      z.strictObject({
        symbol: z.enum(ASSETS),
        contract: z
          .string()
          .max(100)
          .nullish()
          .meta({ description: 'Of the token; absent of the native coin.' }),
        decimals: z.int().min(0).max(MOST_DECIMALS),
        minDeposit: amountOrZero(),
      }),
    )
    .max(ASSETS.length),
  version: z.int().min(0).meta({ description: 'As it was read; 0 makes a network that is not there.' }),
  ...{ createdAt: shownField(), updatedAt: shownField() },
});

export type GivenNetwork = z.output<typeof givenNetwork>;

/**
 * What can be judged without asking anybody.
 * @param before what it replaces
 * @throws Problem 400 naming the field
 */
export function checkedFields(
  chain: string,
  given: GivenNetwork,
  before: Network | undefined,
): Pick<Network, 'kind' | 'chainId' | 'assets'> {
  assertAsShown(given, { chain }, ['chain']);
  const kind = given.kind ?? before?.kind;
  if (kind === undefined) throw invalid('kind is required.', 'kind');
  const chainId = given.chainId ?? null;
  if (kind === 'evm' && chainId === null) throw invalid('chainId is required.', 'chainId');
  if (kind === 'tron' && chainId !== null) throw invalid('chainId is none of a tron network.', 'chainId');
  if (kind === 'evm' && given.rpcUrls.length === 0) throw invalid('rpcUrls must name a node.', 'rpcUrls');
  return { kind, chainId, assets: checkedAssets(kind, given.assets) };
}

function checkedAssets(kind: Network['kind'], given: GivenNetwork['assets']): NetworkAsset[] {
  const assets = given.map((asset, place) => {
    const field = (name: string) => `assets.${place}.${name}`;
    assertFits(asset.minDeposit, asset.symbol, field('minDeposit'));
    return { ...asset, contract: checkedContract(kind, asset, field) };
  });
  for (const name of ['symbol', 'contract'] as const) {
    const seen = new Set<string | null>();
    for (const [place, asset] of assets.entries()) {
      if (seen.has(asset[name]))
        throw invalid(`${name} is of another asset already.`, `assets.${place}.${name}`);
      seen.add(asset[name]);
    }
  }
  return assets;
}

/** ETH is the one native coin that the ledger has. */
function checkedContract(
  kind: Network['kind'],
  { symbol, contract, decimals }: GivenNetwork['assets'][number],
  field: (name: string) => string,
): string | null {
  if (contract === undefined || contract === null) {
    if (kind !== 'evm' || symbol !== 'ETH')
      throw invalid(
        `${field('contract')} is required: only ETH is the native coin of a chain.`,
        field('contract'),
      );
    if (decimals !== NATIVE_DECIMALS[kind])
      throw invalid(
        `${field('decimals')} of the native coin is ${NATIVE_DECIMALS[kind]}.`,
        field('decimals'),
      );
    return null;
  }
  const checked = checkedAddress(kind, contract);
  if (checked === undefined)
    throw invalid(
      `${field('contract')} must be an address of the chain, with a right checksum.`,
      field('contract'),
    );
  return checked;
}
