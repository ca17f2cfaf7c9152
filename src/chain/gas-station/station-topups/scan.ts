import { move } from '../../../accounts/accounts/move';
import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, invalid } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { ensureChainAccounts, ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { type InternalAccount, internalEntry } from '../../../kernel/ledger/entries';
import type { ChainNode, ChainTransfer } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { noteChanges } from '../../holdings/operations';
import type { HoldingChange } from '../../holdings/record';
import { askedOfChain } from '../../networks/asking';
import { nodeOf } from '../../networks/nodes';
import { requireNetwork } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { fromUnits, ledgerAmount, NATIVE_DECIMALS } from '../../networks/rules';
import { findWallet, keepRole, rolesOf } from '../../wallets/operations';
import { requireGasConfig } from '../config/operations';
import { addressOf } from '../config/rules';
import { nativeSymbol } from '../rules';
import { isOfOperation } from './own';
import { cameTo } from './read-blocks';
import type { Payer, StationTopup } from './record';
import { type BlockRange, rangeToScan } from './rules';
import { insertTopup, saveScan, scannedTo } from './store';

/** What a chain has told of its station. */
export interface Scan {
  network: Network;
  station: string;
  /** The native coin, as the ledger calls it. */
  asset: string;
  range: BlockRange;
  /** In blocks of the range that are final and that the nodes agree on, and later: those are found again. */
  final: ChainTransfer[];
  waiting: ChainTransfer[];
}

export interface Wanted {
  chain: string;
  address?: string | undefined;
  from?: number | undefined;
}

/**
 * Reads the blocks since the last scan, so many at most, for native coin that has come to a station. It writes nothing.
 * @param address of a station of before; absent: the present one
 * @param from the block to begin with, where another scan has passed it by or none has come to it
 * @throws Problem 404 naming `chain`; 400 naming `address`; 409 `invalid_transition` without a station; 503 while the chain cannot be
 *   reached
 */
export async function readScan(
  services: Pick<Services, 'keyring' | 'parties'>,
  sql: Sql,
  { chain, from, address }: Wanted,
): Promise<Scan> {
  const station = await stationMeant(sql, await requireNetwork(sql, chain, 'chain'), address);
  const { network, node } = await nodeOf(services, sql, chain);
  const asset = nativeSymbol(network);
  if (asset === undefined)
    throw conflict(
      'invalid_transition',
      'The ledger has no currency for the native coin of this chain.',
      'chain',
    );
  const before = await scannedTo(sql, { chain, address: station });
  return askedOfChain(readRange(node, { network, station, asset, before, from }));
}

async function stationMeant(sql: Sql, network: Network, address: string | undefined): Promise<string> {
  const { stationAddress } = await requireGasConfig(sql, network);
  if (address !== undefined) {
    const named = addressOf(network, address, 'address');
    const isOurs = (await findWallet(sql, network.chain, named))?.purpose === 'station';
    if (!isOurs && (await rolesOf(sql, network.chain, [named])).get(named) !== 'station')
      throw invalid('address must be the station of the chain, or have been it.', 'address');
    return named;
  }
  if (stationAddress === null) throw conflict('invalid_transition', 'The chain has no station.', 'chain');
  return stationAddress;
}

async function readRange(
  node: ChainNode,
  given: Pick<Scan, 'network' | 'station' | 'asset'> & {
    before: number | undefined;
    from: number | undefined;
  },
): Promise<Scan> {
  const { before, from, ...scan } = given;
  const head = await node.head();
  const range = rangeToScan({ head: head.number, confirmations: scan.network.confirmations, before, from });
  const { transfers, agreedTo } = await cameTo(node, scan.station, range);
  const isFinal = ({ block }: ChainTransfer) => block.number <= agreedTo;
  return {
    ...scan,
    range: { ...range, finalTo: agreedTo },
    final: transfers.filter(isFinal),
    waiting: transfers.filter((each) => !isFinal(each)),
  };
}

/**
 * Books what is final and was not booked before. What an operation has moved is booked by it: an address may have been a treasury.
 * @returns what was booked now
 */
export async function applyScan(
  tx: Tx,
  { network, station, asset, range, final }: Scan,
): Promise<StationTopup[]> {
  const { chain } = network;
  await ensureInternalAccounts(tx, asset);
  await ensureChainAccounts(tx, chain, asset);
  const booked = final.length === 0 ? [] : await insertNew(tx, { network, asset }, final);
  await book(tx, network, booked);
  if (range.continues && range.finalTo >= range.from)
    await saveScan(tx, { chain, address: station, to: range.finalTo, restart: range.restart });
  return booked;
}

async function insertNew(
  tx: Tx,
  of: Pick<Scan, 'network' | 'asset'>,
  final: readonly ChainTransfer[],
): Promise<StationTopup[]> {
  const made: StationTopup[] = [];
  for (const transfer of final) {
    if (await isOfOperation(tx, of.network.chain, transfer)) continue;
    const topup = await insertTopup(tx, {
      ...topupOf(transfer, of),
      paidBy: await payerOf(tx, of.network.chain, transfer.from),
    });
    if (topup) made.push(topup);
  }
  return made;
}

function topupOf(
  { block, from, to, txHash, ordinal, units }: ChainTransfer,
  { network: { chain, kind }, asset }: Pick<Scan, 'network' | 'asset'>,
): Omit<StationTopup, 'createdAt' | 'paidBy'> {
  const { amount } = ledgerAmount(units, NATIVE_DECIMALS[kind], asset);
  return {
    ...{ id: newId('stationTopup'), chain, address: to, txHash, ordinal, fromAddress: from },
    ...{ asset, units, amount, reference: newId('reference') },
    ...{ blockNumber: block.number, blockHash: block.hash, blockAt: block.at },
  };
}

/** Money of ours that only changes its place stays ours in the books, be it from an address of before. */
async function payerOf(tx: Tx, chain: string, address: string): Promise<Payer> {
  const wallet = await findWallet(tx, chain, address);
  if (wallet) return wallet.purpose;
  const role = (await rolesOf(tx, chain, [address])).get(address);
  if (role) await keepRole(tx, { chain, address, role });
  return role ?? 'funding';
}

/** What the station has of ours is below zero on its account, as all that we have elsewhere. */
async function book(tx: Tx, { chain, kind }: Network, topups: readonly StationTopup[]): Promise<void> {
  if (topups.length === 0) return;
  const entries = topups.flatMap(({ asset, amount, paidBy, reference }) => {
    const payer: InternalAccount = paidBy === 'funding' ? paidBy : `${paidBy}@${chain}`;
    return [
      internalEntry(`station@${chain}`, asset, amount.negated(), reference),
      internalEntry(payer, asset, amount, reference),
    ];
  });
  await move(tx, { entries }, {});
  noteChanges(
    tx,
    topups.flatMap((topup) => changesOf(topup, NATIVE_DECIMALS[kind])),
  );
}

function changesOf(topup: StationTopup, decimals: number): HoldingChange[] {
  const { id: cause, chain, asset, address, fromAddress, amount: booked, paidBy, blockNumber } = topup;
  const amount = fromUnits(topup.units, decimals);
  const came = { chain, cause, asset, place: 'station', address, amount, booked, blockNumber } as const;
  if (paidBy === 'funding') return [came];
  const left = { place: paidBy, address: fromAddress, amount: amount.negated(), booked: booked.negated() };
  return [came, { ...came, ...left }];
}
