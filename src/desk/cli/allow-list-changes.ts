import type { AllowList } from '../../chain/signing/allow-list';

/** The roles of addresses in a list, by their fields. */
export const ROLES = { treasuries: 'treasury', tokens: 'token', delegates: 'delegate' } as const;
export const FIELDS = ['treasuries', 'tokens', 'delegates'] as const;

type Network = AllowList['networks'][number];

/** An address that a list admits, and the list before does not, or the reverse. */
export interface AddressChange {
  chain: string;
  chainId: number;
  role: (typeof ROLES)[(typeof FIELDS)[number]];
  address: string;
  /** The origin of the address in a person's words. Undefined: nobody has named one. */
  source: string | undefined;
}

export interface ListChanges {
  added: AddressChange[];
  removed: AddressChange[];
  /** Networks whose fees a day differ. `before` is undefined for a new network. */
  fees: { chain: string; before: string | undefined; after: string }[];
  /** Daily sums that differ, as `amount of asset`. Undefined: there is no limit. */
  sums: { chain: string; asset: string; before: string | undefined; after: string | undefined }[];
}

/** @param before the list in force; undefined: every address is new */
export function changesOf(before: AllowList | undefined, after: AllowList): ListChanges {
  const [earlier, later] = [before?.networks ?? [], after.networks];
  return {
    added: difference(later, earlier),
    removed: difference(earlier, later),
    fees: later.flatMap(({ chain, chainId, dailyFees }) => {
      const known = earlier.find((each) => each.chainId === chainId)?.dailyFees;
      return known === dailyFees ? [] : [{ chain, before: known, after: dailyFees }];
    }),
    sums: later.flatMap((network) =>
      changedSums(
        network,
        earlier.find((each) => each.chainId === network.chainId),
      ),
    ),
  };
}

function changedSums({ chain, dailySums = [] }: Network, earlier: Network | undefined): ListChanges['sums'] {
  const known = earlier?.dailySums ?? [];
  const amountIn = (sums: NonNullable<Network['dailySums']>, asset: string) =>
    sums.find((each) => each.asset === asset)?.amount;
  const assets = [...new Set([...known, ...dailySums].map(({ asset }) => asset))];
  return assets
    .map((asset) => ({ chain, asset, before: amountIn(known, asset), after: amountIn(dailySums, asset) }))
    .filter(({ before, after }) => before !== after);
}

/** The addresses of these networks that the others do not have in the same role. */
const difference = (networks: readonly Network[], others: readonly Network[]): AddressChange[] =>
  networks.flatMap((network) => {
    const { chain, chainId, sources } = network;
    const other = others.find((each) => each.chainId === chainId);
    return FIELDS.flatMap((field) =>
      network[field]
        .filter((address) => !other?.[field].includes(address))
        .map((address) => ({ chain, chainId, role: ROLES[field], address, source: sources?.[address] })),
    );
  });

/** The changes for people, a line each. */
export function changesText({ added, removed, fees, sums }: ListChanges): string[] {
  const lines = [
    ...added.map((each) => `+ ${shown(each)}${each.source === undefined ? '' : `: ${each.source}`}`),
    ...removed.map((each) => `- ${shown(each)}`),
    ...sums.map(
      ({ chain, asset, before = 'no limit', after = 'no limit' }) =>
        `  ${chain} sum a day of ${asset}: ${before} -> ${after}`,
    ),
    ...fees.map(({ chain, before = 'nothing', after }) => `  ${chain} gas a day: ${before} -> ${after}`),
  ];
  return lines.length > 0 ? lines : ['  no change'];
}

const shown = ({ chain, role, address }: AddressChange): string => `${chain} ${role} ${address}`;
