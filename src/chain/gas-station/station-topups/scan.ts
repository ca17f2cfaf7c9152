import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, invalid } from '../../../kernel/errors';
import type { ChainNode, ChainTransfer } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { requireChainAnswer } from '../../networks/nodes/chain-answer';
import { nodeOf } from '../../networks/nodes/nodes';
import { requireNetwork } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { findWallet, rolesOf } from '../../wallets/operations';
import { requireGasConfig } from '../config/operations';
import { addressOf } from '../config/rules';
import { nativeSymbol } from '../rules';
import { bookTopups } from './book';
import { cameTo } from './read-blocks';
import type { StationTopup } from './record';
import { type BlockRange, rangeToScan } from './rules';
import { saveScan, scannedTo } from './store';

/** Result of reading a station's blocks. */
export interface Scan {
  network: Network;
  station: string;
  /** Ledger symbol of the native coin. */
  asset: string;
  range: BlockRange;
  /** Transfers in final, agreed blocks, and later ones, which the next scan finds again. */
  final: ChainTransfer[];
  waiting: ChainTransfer[];
}

export interface Wanted {
  chain: string;
  address?: string | undefined;
  from?: number | undefined;
}

/**
 * Reads the blocks since the last scan for native coin that arrived at a station. Read-only.
 * @param address of a former station; absent: the present one
 * @param from first block, to repeat or extend earlier scans
 * @throws Problem 404 naming `chain`; 400 naming `address`; 409 `invalid_transition` without a station; 503 while the
 *   chain cannot be reached
 */
export async function readScan(
  services: Pick<Services, 'keyring' | 'parties'>,
  sql: Sql,
  { chain, from, address }: Wanted,
): Promise<Scan> {
  const station = await stationMeant(sql, await requireNetwork(sql, chain, { field: 'chain' }), address);
  const { network, node } = await nodeOf(services, sql, chain);
  const asset = nativeSymbol(network);
  if (asset === undefined)
    throw conflict(
      'invalid_transition',
      'The ledger has no currency for the native coin of this chain.',
      'chain',
    );
  const before = await scannedTo(sql, { chain, address: station });
  return requireChainAnswer(readRange(node, { network, station, asset, before, from }));
}

async function stationMeant(sql: Sql, network: Network, address: string | undefined): Promise<string> {
  const { stationAddress } = await requireGasConfig(sql, network);
  if (address !== undefined) {
    const named = addressOf(network, address, 'address');
    const isOurs = (await findWallet(sql, network.chain, named))?.purpose === 'station';
    if (!isOurs && (await rolesOf(sql, network.chain, [named])).get(named) !== 'station')
      throw invalid('address must be a present or former station of the chain.', 'address');
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
 * Books final transfers that are not booked yet.
 * @returns the top-ups booked now
 */
export async function applyScan(tx: Tx, { network, station, range, final }: Scan): Promise<StationTopup[]> {
  const booked = await bookTopups(tx, network, final);
  if (range.continues && range.finalTo >= range.from)
    await saveScan(tx, {
      chain: network.chain,
      address: station,
      to: range.finalTo,
      restart: range.restart,
    });
  return booked;
}
