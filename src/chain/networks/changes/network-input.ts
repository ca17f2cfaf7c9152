import { z } from 'zod';
import { invalid } from '../../../kernel/errors';
import { COIN_SYMBOL, coinRefusal, isAsset } from '../../../kernel/money/currencies';
import { fieldPath } from '../../../kernel/wire/json';
import { amountOrZero, text } from '../../../kernel/wire/schemas';
import { assertAsShown, ignoredField, shownField } from '../../../kernel/wire/shown-fields';
import { URL_LENGTH, webUrl } from '../../../kernel/wire/web-url';
import { checkedAddress } from '../../../parties/chain/addresses';
import { CHAIN_KINDS } from '../../../parties/chain/port';
import { type Network, type NetworkAsset, type NetworkSettings, settingsOf } from '../record';
import { ledgerDecimals, NATIVE_DECIMALS } from '../rules';
import { feeModelSchema, finalitySchema } from '../view';

/** The largest chain id that wallets and libraries handle exactly (EIP-2294 within JavaScript's numbers). */
const MAX_CHAIN_ID = 4_503_599_627_370_476;

/** No chain needs more. A node is asked for all blocks within the confirmations. */
const MAX_CONFIRMATIONS = 10_000;
/** More calls in a second than any node is asked. */
const MAX_PER_SECOND = 10_000;
const MAX_NODES = 10;
const MAX_ASSETS = 20;

/** Amounts of any size must stay exact in Decimal. */
const MAX_DECIMALS = 36;

/** Read-only fields. */
export const SHOWN = ['createdAt', 'updatedAt'] as const;

/** Body of a PUT: an absent field keeps its value, null clears it. */
export const networkInput = z.strictObject({
  chain: shownField(),
  name: text(100).min(1).optional(),
  kind: z.enum(CHAIN_KINDS).optional().meta({ description: 'Cannot be changed.' }),
  chainId: z.int().min(1).max(MAX_CHAIN_ID).optional().meta({ description: 'EIP-155 chain id.' }),
  rpcUrls: z
    .array(text(URL_LENGTH).min(1))
    .min(1)
    .max(MAX_NODES)
    .optional()
    .meta({
      description: 'In the order in which they are asked. A mask, as GET shows it, keeps the stored address.',
      examples: [['https://node.example/v3/key']],
    }),
  explorerUrl: webUrl('nowhere', 'https://explorer.example').nullish(),
  confirmations: z
    .int()
    .min(1)
    .max(MAX_CONFIRMATIONS)
    .optional()
    .meta({ description: 'Blocks that make a payment final, its own included.' }),
  finality: finalitySchema().optional(),
  requestsPerSecond: z
    .int()
    .min(1)
    .max(MAX_PER_SECOND)
    .nullish()
    .meta({ description: 'Limits the calls to each node in a second. Null clears the limit.' }),
  enabled: z
    .boolean()
    .optional()
    .meta({ description: 'True when blocks are read and wallets are allocated.' }),
  feeModel: feeModelSchema().optional(),
  assets: z
    .array(
      z.strictObject({
        symbol: z
          .string()
          .regex(COIN_SYMBOL, 'must be 2 to 10 upper-case letters and digits, such as "USDT"')
          .meta({
            examples: ['USDT', 'ETH', 'BNB'],
            description:
              'Currency of the ledger. The native coin of a network becomes one with 18 decimals, unless ISO 4217 has the symbol. ' +
              'A token has the symbol of an asset that the ledger has: USDT, USDC, ETH or the coin of a network.',
          }),
        contract: z
          .string()
          .max(100)
          .nullish()
          .meta({ description: 'Contract of the token. Absent for the native coin.' }),
        decimals: z.int().min(0).max(MAX_DECIMALS),
        minDeposit: amountOrZero(),
      }),
    )
    .max(MAX_ASSETS)
    .nullish(),
  version: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .meta({ description: 'The version that GET shows. 0 creates a new network.' }),
  createdAt: shownField(),
  updatedAt: shownField(),
  pending: ignoredField(),
});

export type NetworkInput = z.output<typeof networkInput>;

/** Required for a new network, because there is no stored value to keep. */
const NEEDED = ['name', 'kind', 'chainId', 'rpcUrls', 'confirmations', 'enabled', 'assets'] as const;

/** Settings that a new network need not name. */
const DEFAULTS = {
  explorerUrl: null,
  feeModel: 'evm',
  finality: 'confirmations',
  requestsPerSecond: null,
} as const satisfies Partial<Network>;

/**
 * Returns the terms after a PUT, checked without asking nodes. An absent field keeps its value.
 * @param before the stored network; undefined for a new one
 * @throws Problem 400 naming the field
 */
export function checkedFields(
  chain: string,
  given: NetworkInput,
  before: Network | undefined,
): NetworkSettings {
  assertAsShown(given, { chain }, ['chain']);
  const missing = before ? undefined : NEEDED.find((field) => given[field] === undefined);
  if (missing) throw invalid(`${missing} is required.`, missing);
  const { assets, ...rest } = given;
  const merged = { ...DEFAULTS, ...before, ...defined(rest) } as Network;
  return settingsOf({
    ...merged,
    assets: assets === undefined && before ? before.assets : checkedAssets(merged.kind, assets ?? []),
  });
}

const defined = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

type GivenAsset = NonNullable<NetworkInput['assets']>[number];

export const assetField = (place: number, name: keyof GivenAsset): string =>
  fieldPath(['assets', place, name]);

function checkedAssets(kind: Network['kind'], given: GivenAsset[]): NetworkAsset[] {
  const assets = given.map((asset, place) => {
    const field = (name: keyof GivenAsset) => assetField(place, name);
    const checked = { ...asset, contract: checkedContract(kind, asset, field) };
    if (asset.minDeposit.decimalPlaces() > ledgerDecimals(checked))
      throw invalid(
        `${field('minDeposit')} has more decimals than ${asset.symbol} allows.`,
        field('minDeposit'),
      );
    return checked;
  });
  for (const name of ['symbol', 'contract'] as const) {
    const seen = new Set<string | null>();
    for (const [place, asset] of assets.entries()) {
      if (seen.has(asset[name]))
        throw invalid(`${name} is already used by another asset.`, assetField(place, name));
      seen.add(asset[name]);
    }
  }
  return assets;
}

/** Returns the contract of a token, and null for the native coin, which becomes a currency of the ledger. */
function checkedContract(
  kind: Network['kind'],
  { symbol, contract, decimals }: GivenAsset,
  field: (name: keyof GivenAsset) => string,
): string | null {
  if (contract === undefined || contract === null) {
    if (decimals !== NATIVE_DECIMALS[kind])
      throw invalid(
        `${field('decimals')} of the native coin must be ${NATIVE_DECIMALS[kind]}.`,
        field('decimals'),
      );
    const refusal = coinRefusal({ symbol, decimals });
    if (refusal) throw invalid(`${field(refusal.in)} ${refusal.why}.`, field(refusal.in));
    return null;
  }
  if (!isAsset(symbol))
    throw invalid(`${field('symbol')} must be an asset of the ledger: ${symbol} is none.`, field('symbol'));
  const checked = checkedAddress(kind, contract);
  if (checked === undefined)
    throw invalid(
      `${field('contract')} must be an address of the chain with a valid checksum.`,
      field('contract'),
    );
  return checked;
}
