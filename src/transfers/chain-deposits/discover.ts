import { noteChanges } from '../../chain/holdings/operations';
import { keepUnlisted } from '../../chain/holdings/unlisted';
import type { Network, NetworkAsset } from '../../chain/networks/record';
import { ledgerAmount, NATIVE_DECIMALS } from '../../chain/networks/rules';
import { adoptWallets, ownersAt, straysAmong } from '../../chain/wallets/operations';
import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { readBalances } from '../../kernel/ledger/accounts';
import type { ChainTransfer } from '../../parties/chain/port';
import { openBreak } from '../../process/breaks/operations';
import type { Services } from '../../services';
import { makeDue } from '../engine/due';
import { type Found, openFound } from '../engine/open';
import { refsElsewhere } from '../engine/tables/on-chain';
import { newHoldingOf } from './holding';
import { chainDepositKind } from './kind';
import { type ChainDepositTerms, chainDepositRef } from './record';
import { sentByOthers } from './sent-by-others';

type Deps = Pick<Services, 'commands' | 'keyring' | 'now'>;

/** A transfer of an asset that the network carries. */
export interface Carried {
  transfer: ChainTransfer;
  asset: NetworkAsset;
}

/** The native coin has its chain's decimals, whatever the network configures. */
export const decimalsIn = ({ kind }: Network, { contract, decimals }: NetworkAsset): number =>
  contract === null ? NATIVE_DECIMALS[kind] : decimals;

/** Keeps transfers of the network's assets that a record can hold. Drops transfers of zero. */
export const carriedOf = (network: Network, transfers: readonly ChainTransfer[]): Carried[] =>
  transfers.flatMap((transfer) => {
    const asset = network.assets.find(({ contract }) => contract === transfer.token);
    const isCarried = asset && transfer.units > 0n && !isTooLarge(transfer, decimalsIn(network, asset));
    return isCarried ? [{ transfer, asset }] : [];
  });

/** Most digits before the decimal point of a stored amount. */
const MAX_DIGITS = 24;

/** A token's contract may report any number of 256 bits. */
const isTooLarge = ({ units }: ChainTransfer, decimals: number) =>
  units >= 10n ** BigInt(MAX_DIGITS + decimals);

/**
 * Opens a deposit for every new transfer, and tells known deposits to look. Stores tokens that the network does not
 * carry. Idempotent. Call it last in a transaction, because it ends with locks of accounts.
 * @param found may contain a transfer twice
 * @param by.told names of other deposits to tell, in the same statement, so that rows are locked in one order
 * @param by.idempotencyKey of the call that has found the transfers
 * @param by.stepping the caller makes the next step of each deposit after the commit, so no workflow is told. Each is due
 * nevertheless, so the reconciler makes a step that the caller never does
 * @returns the ids of the new and of the told deposits
 */
export async function keepTransfers(
  deps: Deps,
  tx: Tx,
  network: Network,
  found: readonly ChainTransfer[],
  { told = [], idempotencyKey, stepping = false }: Keeping = {},
): Promise<string[]> {
  const transfers = await sentByOthers(tx, network.chain, eachOnce(network, found));
  const carried = carriedOf(network, transfers);
  const openings = (await openingsOf(deps, tx, network, carried)).map((each) => ({
    ...each,
    idempotencyKey,
  }));
  const strays = openings.flatMap(({ terms }) => (terms.homeChain ? [terms.address] : []));
  await adoptWallets(deps, tx, network, strays);
  await showNotCarried(deps, tx, network, { transfers, carried });
  const due: string[] = [];
  const opened = await openFound(
    deps,
    tx,
    chainDepositKind,
    openings,
    async (known) => {
      const made = openings.filter(({ partyRef }) => !known.includes(partyRef));
      noteChanges(tx, made.map(newHoldingOf));
      const moved = await refsElsewhere(
        tx,
        openings
          .filter(({ partyRef }) => known.includes(partyRef))
          .map(({ partyRef, terms: { blockHash } }) => ({ ref: partyRef, blockHash })),
      );
      const refs = [...new Set([...told, ...moved])];
      due.push(...(await (stepping ? makeDepositsDue : tellDeposits)(deps, tx, refs)));
    },
    { starting: !stepping },
  );
  return [...opened, ...due];
}

interface Keeping {
  told?: readonly string[];
  idempotencyKey?: string | undefined;
  stepping?: boolean;
}

const eachOnce = ({ chain }: Network, found: readonly ChainTransfer[]): ChainTransfer[] => [
  ...new Map(found.map((transfer) => [chainDepositRef(chain, transfer), transfer])).values(),
];

/** Orders by name, so that transactions with the same transfers lock rows in one order. */
async function showNotCarried(
  { now }: Deps,
  tx: Tx,
  { chain, assets }: Network,
  { transfers, carried }: { transfers: readonly ChainTransfer[]; carried: readonly Carried[] },
): Promise<void> {
  const kept = new Set(carried.map(({ transfer }) => transfer));
  const others = transfers
    .filter((each) => each.token !== null && each.units > 0n && !kept.has(each))
    .map((transfer) => ({ transfer, name: chainDepositRef(chain, transfer) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ transfer }) => transfer);
  const booked = carried.map(({ transfer }) => transfer);
  await keepUnlisted(tx, chain, others, now(), booked);
  const listed = new Set(assets.map(({ contract }) => contract));
  for (const transfer of others) if (listed.has(transfer.token)) await showTooLarge(tx, chain, transfer);
}

/** Opens a break once, because nobody owns so much of anything. A person decides. */
const showTooLarge = (tx: Tx, chain: string, transfer: ChainTransfer) =>
  openBreak(tx, {
    tenantId: null,
    kind: 'chain_deposit_too_large',
    subject: `chain:${chain}`,
    detail: chainDepositRef(chain, transfer),
  });

/** Makes deposits due and tells their workflows to look. @returns their ids */
export async function tellDeposits(
  { commands, now }: Deps,
  tx: Tx,
  refs: readonly string[],
): Promise<string[]> {
  const found = await dueOf({ now }, tx, refs);
  commands.append(tx, found.map(chainDepositKind.process.look));
  return found.map(({ id }) => id);
}

/** Makes deposits due. The caller makes their steps after the commit. @returns their ids */
export const makeDepositsDue = async (
  deps: Pick<Deps, 'now'>,
  tx: Tx,
  refs: readonly string[],
): Promise<string[]> => (await dueOf(deps, tx, refs)).map(({ id }) => id);

const dueOf = ({ now }: Pick<Deps, 'now'>, tx: Tx, refs: readonly string[]) =>
  refs.length === 0 ? Promise.resolve([]) : makeDue(tx, chainDepositKind.party, refs, now());

/**
 * Prepares new deposits. A deposit belongs to the tenant who had the wallet at the block's time. Money that was sent on
 * another network than the address was derived for belongs to nobody, and names the tenant of the address. Takes three
 * statements for any number.
 */
export async function openingsOf(
  { now, keyring }: Pick<Deps, 'now' | 'keyring'>,
  tx: Tx,
  network: Network,
  carried: readonly Carried[],
): Promise<Found<ChainDepositTerms>[]> {
  if (carried.length === 0) return [];
  const { chain } = network;
  const paid = carried.map(({ transfer: { to, block } }) => ({ address: to, at: block.at }));
  const owners = await ownersAt(tx, keyring, chain, paid);
  const accounts = await readBalances(tx, [...new Set(owners.flatMap((owner) => owner?.accountId ?? []))]);
  const ownerless = paid.flatMap(({ address }, place) => (owners[place] ? [] : [address]));
  const strays = await straysAmong(tx, keyring, chain, ownerless);
  const at = now();
  return carried.flatMap((each, place) => {
    const owner = owners[place];
    const stray = owner ? undefined : strays.get(each.transfer.to);
    // The network has another use for the address, or the product has not derived it.
    if (stray && !stray.isOurs && !stray.isAdopted) return [];
    const homeChain = stray?.homeChain ?? null;
    return {
      id: newId('chainDeposit'),
      status: 'confirming',
      at,
      orderedAt: at,
      tenantId: owner?.tenantId ?? stray?.tenantId ?? null,
      accountId: owner?.accountId ?? null,
      terms: termsOf(network, each, {
        allocationId: owner?.id ?? null,
        ...(homeChain !== null && { homeChain }),
        accountCurrency: (owner && accounts.get(owner.accountId)?.currency) ?? null,
      }),
      referenceId: newId(owner ? 'reference' : 'suspense'),
      partyRef: chainDepositRef(chain, each.transfer),
    };
  });
}

function termsOf(
  network: Network,
  { transfer, asset }: Carried,
  whose: Pick<ChainDepositTerms, 'allocationId' | 'accountCurrency' | 'homeChain'>,
): ChainDepositTerms {
  const { txHash, ordinal, token, from, to, units, block, logIndex } = transfer;
  const decimals = decimalsIn(network, asset);
  const { amount, dust } = ledgerAmount(units, decimals, asset.symbol);
  return {
    chain: network.chain,
    txHash,
    ordinal,
    from,
    token,
    ...whose,
    address: to,
    asset: asset.symbol,
    decimals,
    minDeposit: asset.minDeposit,
    units: units.toString(),
    amount,
    dust: dust.toString(),
    confirmations: network.confirmations,
    ...(network.finality === 'confirmations' ? {} : { finality: network.finality }),
    blockNumber: block.number,
    blockHash: block.hash,
    blockAt: block.at.toISOString(),
    logIndex,
  };
}
