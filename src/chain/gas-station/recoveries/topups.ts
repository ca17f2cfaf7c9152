import { Problem } from '../../../kernel/errors';
import type { Services } from '../../../services';
import { requireChainAnswer } from '../../networks/nodes/chain-answer';
import { nodeOf } from '../../networks/nodes/nodes';
import type { Network } from '../../networks/record';
import { NATIVE_DECIMALS, toUnits } from '../../networks/rules';
import type { GasConfig } from '../config/record';
import { createOperation, orderTopup } from '../operations/lifecycle/create';
import { requireWallet } from '../operations/read';
import { walletsWithoutGas } from './read';

/**
 * Orders a top-up for each recovery that waits for gas. Idempotent, because a wallet has one open top-up. A wallet that
 * has as much as a top-up brings gets no further one.
 * @returns how many were made
 */
export async function topUpRecoveries(
  services: Services,
  { chain, kind }: Network,
  { gasTopupAmount }: GasConfig,
): Promise<number> {
  const { database } = services;
  const waiting = await walletsWithoutGas(database, chain);
  if (waiting.length === 0) return 0;
  const { node } = await nodeOf(services, database, chain);
  let made = 0;
  for (const walletId of waiting) {
    const { address } = await requireWallet(database, walletId);
    const native = await requireChainAnswer(node.balance(address, null));
    if (native < toUnits(gasTopupAmount, NATIVE_DECIMALS[kind]) && (await topUp(services, walletId)))
      made += 1;
  }
  return made;
}

/** @returns whether a top-up was made; after a conflict the next run tries again */
async function topUp(services: Services, walletId: string): Promise<boolean> {
  try {
    const ordered = await orderTopup(services, { walletId });
    await services.database.transaction((tx) => createOperation(services, tx, ordered, 'automatic_order'));
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return false;
    throw error;
  }
}
