import type { Tx } from '../../../../kernel/db/database';
import { conflict } from '../../../../kernel/errors';
import type { Network } from '../../../networks/record';
import { lockGasConfig } from '../../config/operations';
import type { GasConfig } from '../../config/record';
import type { GasOperation } from '../record';

/** What was read before the chain was asked may have been configured anew since: it is looked at again in the transaction that writes. */

type Way = Pick<GasOperation, 'type' | 'ofStation' | 'fromAddress' | 'stationAddress' | 'toAddress'>;

/** @throws Problem 409 `invalid_transition`: the treasury or the station is another one now, or the wallet the station again */
export async function assertAsConfigured(tx: Tx, network: Network, ordered: Way): Promise<void> {
  const { treasuryAddress, stationAddress } = await lockGasConfig(tx, network);
  const { type, fromAddress, toAddress } = ordered;
  if (type === 'sweep' && toAddress !== treasuryAddress) throw changed('treasury');
  const station = type === 'topup' ? fromAddress : ordered.stationAddress;
  if (station !== null && station !== stationAddress) throw changed('station');
  refuseStation(ordered, { stationAddress });
}

/** The same of a sweep that a person is to execute: the station is not swept. @throws Problem 409 `invalid_transition` */
export async function assertFormer(tx: Tx, network: Network, operation: Way): Promise<void> {
  if (operation.ofStation) refuseStation(operation, await lockGasConfig(tx, network));
}

function refuseStation(
  { ofStation, fromAddress }: Way,
  { stationAddress }: Pick<GasConfig, 'stationAddress'>,
): void {
  if (ofStation && fromAddress === stationAddress)
    throw conflict('invalid_transition', 'The wallet is the station.', 'walletId');
}

const changed = (what: 'treasury' | 'station') =>
  conflict('invalid_transition', `The ${what} has been changed meanwhile: order it again.`, 'walletId');
