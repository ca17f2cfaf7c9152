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
 * Books native coin that has come to stations in final blocks, each transfer once.
 * @returns what was booked now
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
    if (!(await isTopup(tx, chain, transfer))) continue;
    const paidBy = await payerOf(tx, chain, transfer.from);
    const topup = await insertTopup(tx, { ...topupOf(transfer, { network, asset }), paidBy });
    if (!topup) continue;
    if (paidBy === 'treasury') await keepRole(tx, { chain, address: transfer.from, role: paidBy });
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

/** What the station has of ours is below zero on its account, as all that we have elsewhere. */
function entriesOf({ chain, asset, amount, paidBy, reference }: Topup) {
  const payer: InternalAccount = paidBy === 'funding' ? paidBy : `${paidBy}@${chain}`;
  return [
    internalEntry(`station@${chain}`, asset, amount.negated(), reference),
    internalEntry(payer, asset, amount, reference),
  ];
}

/** Named by the transfer, which is known before the top-up is. */
export function changesOf(topup: Topup, { kind }: Pick<Network, 'kind'>): HoldingChange[] {
  const { chain, txHash, ordinal, asset, address, fromAddress, amount: booked, paidBy, blockNumber } = topup;
  const amount = fromUnits(topup.units, NATIVE_DECIMALS[kind]);
  const cause = `${chain}:${txHash}:${ordinal}`;
  const came = { chain, cause, asset, place: 'station', address, amount, booked, blockNumber } as const;
  if (paidBy === 'funding') return [came];
  const left = { place: paidBy, address: fromAddress, amount: amount.negated(), booked: booked.negated() };
  return [came, { ...came, ...left }];
}

export function topupOf(
  { block, from, to, txHash, ordinal, units }: ChainTransfer,
  { network: { chain, kind }, asset }: { network: Network; asset: string },
): Omit<Topup, 'paidBy'> {
  const { amount } = ledgerAmount(units, NATIVE_DECIMALS[kind], asset);
  return {
    ...{ id: newId('stationTopup'), chain, address: to, txHash, ordinal, fromAddress: from },
    ...{ asset, units, amount, reference: newId('reference') },
    ...{ blockNumber: block.number, blockHash: block.hash, blockAt: block.at },
  };
}

/**
 * Whether no operation books the transfer. A person may have named any transaction of an operation before anybody has looked at it, so
 * its addresses decide.
 */
export async function isTopup(
  sql: Sql,
  chain: string,
  { txHash, from, to }: Pick<ChainTransfer, 'txHash' | 'from' | 'to'>,
): Promise<boolean> {
  const id = await operationWith(sql, chain, txHash);
  const operation = id === undefined ? undefined : await findOperation(sql, id);
  return operation?.fromAddress !== from || operation.toAddress !== to;
}

/** Money of ours that only changes its place stays ours in the books, also from a former station or treasury. */
export async function payerOf(sql: Sql, chain: string, address: string): Promise<Payer> {
  const wallet = await findWallet(sql, chain, address);
  return wallet?.purpose ?? (await rolesOf(sql, chain, [address])).get(address) ?? 'funding';
}
