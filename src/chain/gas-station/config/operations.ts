import type { Sql } from '../../../kernel/db/database';
import type { Network } from '../../networks/record';
import { type GasConfig, gasConfigNeverSet } from './record';
import { findGasConfig } from './store';

export { findGasConfig } from './store';

/** What holds on a network: what was set, or what does while nothing was (version 0). */
export const requireGasConfig = async (
  sql: Sql,
  network: Pick<Network, 'chain' | 'confirmations'>,
): Promise<GasConfig> => (await findGasConfig(sql, network.chain)) ?? gasConfigNeverSet(network);
