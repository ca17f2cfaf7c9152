import type { Config } from '../kernel/config/config';
import { keepProductClock } from '../kernel/product-clock';
import { StartupError } from '../kernel/startup-error';
import type { TemporalClient } from '../kernel/temporal/connection';
import { runSchedules } from '../kernel/temporal/run-schedules';
import type { Services } from '../services';
import type { Infrastructure } from './infrastructure';
import { catchUpLocalChain } from './local-chain/chain-time';
import type { Stages } from './stages';

/**
 * Reads the clock's offset and keeps it up to date.
 * @throws StartupError in live mode with a database whose clock a sandbox has advanced
 */
export async function keepClock(
  mode: Config['mode'],
  { productClock, database, parties }: Pick<Services, 'productClock' | 'database' | 'parties'>,
  stages: Stages,
): Promise<void> {
  await productClock.read(database);
  if (mode === 'live') {
    if (productClock.offsetMs() !== 0)
      throw new StartupError('The clock of this database was advanced by a sandbox. Use another database.');
    return;
  }
  const kept = keepProductClock(productClock, database, () => parties.rates.ready());
  stages.started('clock', () => kept.stop());
}

/** How long the answer to an advance of the clock waits for the runs of the schedules. */
const SCHEDULES_WITHIN_MS = 10_000;

/** Moves the local chain and runs the schedules, after the clock was advanced. @throws Error when one of them is away */
export async function afterClock(
  { chainUrl }: Pick<Infrastructure, 'chainUrl'>,
  { client }: Pick<TemporalClient, 'client'>,
  services: Pick<Services, 'now'>,
): Promise<void> {
  await catchUpLocalChain(chainUrl, services);
  await runSchedules(client, SCHEDULES_WITHIN_MS);
}
