import { findGasConfig } from '../../chain/gas-station/config/operations';
import { delegateAddress, deploymentOf } from '../../chain/gas-station/strategies/delegate';
import { WRITTEN } from '../../kernel/db/commit-marks';
import { lookoutOf } from '../../kernel/db/lookout';
import type { Services } from '../../services';
import { ensureContract } from '../embedded/chain/payer';
import { type Repeated, repeatedly } from '../embedded/supervise';
import { LOCAL_CHAIN } from './network';

/** After a failure. */
const AGAIN_MS = 1_000;
/** The local chain may have begun anew. */
const LATEST_MS = 30_000;

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

/** Repeats {@link ensureLocalDelegate} when something was written, to follow changes of the configuration. */
export const keepLocalDelegate = (services: Needed, url: string): Repeated =>
  repeatedly(async (signal) => {
    const lookout = lookoutOf(services.database);
    try {
      const before = await lookout.value(WRITTEN);
      if (await ensureLocalDelegate(services, url))
        services.log.info('the contract of delegated sweeps was deployed on the local chain');
      await lookout.until(WRITTEN, before, { signal, mostMs: LATEST_MS });
      return 0;
    } catch (error) {
      services.log.debug({ err: error }, 'the contract of delegated sweeps waits for the local chain');
    }
    return AGAIN_MS;
  });
