import { findGasConfig } from '../../chain/gas-station/config/operations';
import { delegateAddress, deploymentOf } from '../../chain/gas-station/strategies/delegate';
import type { Services } from '../../services';
import { ensureContract } from '../embedded/chain/payer';
import { type Repeated, repeatedly } from '../embedded/supervise';
import { LOCAL_CHAIN } from './network';

const LOOK_MS = 1_000;

type Needed = Pick<Services, 'database' | 'log'>;

/**
 * Deploys the contract of delegated sweeps on the local chain if they are enabled. Each treasury and station has its
 * own contract.
 * @returns whether it was deployed now
 * @throws Error when the database or the chain is away
 */
export async function ensureLocalDelegate(
  { database }: Pick<Needed, 'database'>,
  url: string,
): Promise<boolean> {
  const config = await findGasConfig(database, LOCAL_CHAIN);
  if (config?.sweepStrategy !== 'delegated') return false;
  const { stationAddress: station, treasuryAddress: treasury } = config;
  if (station === null || treasury === null) return false;
  const of = { treasury, station };
  return ensureContract(url, delegateAddress(of), deploymentOf(of));
}

/** Repeats {@link ensureLocalDelegate} each second, to follow changes of the configuration. */
export const keepLocalDelegate = (services: Needed, url: string): Repeated =>
  repeatedly(async () => {
    try {
      if (await ensureLocalDelegate(services, url))
        services.log.info('the contract of delegated sweeps was deployed on the local chain');
    } catch (error) {
      services.log.debug({ err: error }, 'the contract of delegated sweeps waits for the local chain');
    }
    return LOOK_MS;
  });
