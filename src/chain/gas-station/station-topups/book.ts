import { move } from '../../../accounts/accounts/move';
import type { Sql, Tx } from '../../../kernel/db/database';
import { newId } from '../../../kernel/ids';
import { ensureChainAccounts, ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { type InternalAccount, internalEntry } from '../../../kernel/ledger/entries';
import type { ChainTransfer } from '../../../parties/chain/port';
import { noteChanges } from '../../holdings/operations';
import type { HoldingChange } from '../../holdings/record';
import type { Network } from '../../networks/record';
import { fromUnits, ledgerAmount, NATIVE_DECIMALS } from '../../networks/rules';
import { findWallet, keepRole, rolesOf } from '../../wallets/operations';
import { findOperation, operationWith } from '../operations/read';
import { nativeSymbol } from '../rules';
import type { Payer, StationTopup } from './record';
import { insertTopup } from './store';

type Topup = Omit<StationTopup, 'createdAt'>;

/**
 * Books native coin that arrived at stations in final blocks, each transfer once.
 * @returns the top-ups booked now
 */
export async function bookTopups(
  tx: Tx,
  network: Network,
  transfers: readonly ChainTransfer[],
): Promise<StationTopup[]> {
  const { chain } = network;
  const asset = nativeSymbol(network);
  if (asset === undefined) return [];
  await ensureInternalAccounts(tx, asset);
  await ensureChainAccounts(tx, chain, asset);
  const made: StationTopup[] = [];
  for (const transfer of transfers) {
    const found = await topupOf(tx, transfer, { network, asset });
    const topup = found && (await insertTopup(tx, found));
    if (!topup) continue;
    const { paidBy: role, fromAddress: address } = topup;
    if (role === 'treasury') await keepRole(tx, { chain, address, role });
    made.push(topup);
  }
  if (made.length === 0) return made;
  await move(tx, { entries: made.flatMap(entriesOf) }, {});
  noteChanges(
    tx,
    made.flatMap((topup) => changesOf(topup, network)),
  );
  return made;
}

/** Our balance on the station is negative on its account, like all balances that we have elsewhere. */
function entriesOf({ chain, asset, amount, paidBy, reference }: Topup) {
  const payer: InternalAccount = paidBy === 'funding' ? paidBy : `${paidBy}@${chain}`;
  return [
    internalEntry(`station@${chain}`, asset, amount.negated(), reference),
    internalEntry(payer, asset, amount, reference),
  ];
}

/** Derived from the transfer, which is known before the top-up is booked. */
const causeOf = ({ chain, txHash, ordinal }: Pick<Topup, 'chain' | 'txHash' | 'ordinal'>): string =>
  `${chain}:${txHash}:${ordinal}`;

/** The transaction hash of a cause from {@link changesOf}. */
export const hashOfCause = (cause: string): string => cause.split(':')[1] ?? '';

export function changesOf(topup: Topup, { kind }: Pick<Network, 'kind'>): HoldingChange[] {
  const { chain, asset, address, fromAddress, amount: booked, paidBy, blockNumber } = topup;
  const amount = fromUnits(topup.units, NATIVE_DECIMALS[kind]);
  const cause = causeOf(topup);
  const came = { chain, cause, asset, place: 'station', address, amount, booked, blockNumber } as const;
  if (paidBy === 'funding') return [came];
  const left = { place: paidBy, address: fromAddress, amount: amount.negated(), booked: booked.negated() };
  return [came, { ...came, ...left }];
}

/** @returns the top-up that a transfer to a station is; undefined when an operation of ours books the transfer */
export async function topupOf(
  sql: Sql,
  transfer: ChainTransfer,
  { network: { chain, kind }, asset }: { network: Network; asset: string },
): Promise<Topup | undefined> {
  if (!(await isTopup(sql, chain, transfer))) return undefined;
  const { block, from, to, txHash, ordinal, units } = transfer;
  const { amount } = ledgerAmount(units, NATIVE_DECIMALS[kind], asset);
  return {
    id: newId('stationTopup'),
    chain,
    address: to,
    txHash,
    ordinal,
    fromAddress: from,
    asset,
    units,
    amount,
    reference: newId('reference'),
    blockNumber: block.number,
    blockHash: block.hash,
    blockAt: block.at,
    paidBy: await payerOf(sql, chain, from),
  };
}

/**
 * Whether no operation books the transfer. Compares addresses, because a person may have named any transaction for an
 * operation before it was checked.
 */
async function isTopup(
  sql: Sql,
  chain: string,
  { txHash, from, to }: Pick<ChainTransfer, 'txHash' | 'from' | 'to'>,
): Promise<boolean> {
  const id = await operationWith(sql, chain, txHash);
  const operation = id === undefined ? undefined : await findOperation(sql, id);
  return operation?.fromAddress !== from || operation.toAddress !== to;
}

/**
 * The account that a transfer comes from. Our own money, also from a former station or treasury, stays ours in the
 * books.
 */
async function payerOf(sql: Sql, chain: string, address: string): Promise<Payer> {
  const wallet = await findWallet(sql, chain, address);
  return wallet?.purpose ?? (await rolesOf(sql, chain, [address])).get(address) ?? 'funding';
}
