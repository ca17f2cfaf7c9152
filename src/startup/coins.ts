import type { Database } from '../kernel/db/database';
import { keepCoins, readCoins } from '../kernel/ledger/coins';
import type { Stages } from './stages';

/** Reads the coins of networks, which are currencies of the ledger, and keeps them up to date. */
export async function openCoins(database: Database, stages: Stages): Promise<void> {
  const kept = keepCoins(database, await readCoins(database));
  stages.started('coins', () => kept.stop());
}
