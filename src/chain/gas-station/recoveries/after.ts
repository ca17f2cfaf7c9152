import type { Tx } from '../../../kernel/db/database';
import type { ChainNode } from '../../../parties/chain/port';
import { undefinedIfNoToken } from '../../networks/nodes/no-token';
import type { GasOperation } from '../operations/record';
import { updateRecovery } from './store';

/** Balances of a token as its contract tells them. Null: the contract does not answer. */
export interface TokenBalances {
  units: bigint | null;
  treasury: bigint | null;
}

/** Asks a token for the balances of both addresses of a recovery. @throws ChainAway */
export async function balancesOf(
  node: ChainNode,
  { fromAddress, toAddress, token }: Pick<GasOperation, 'fromAddress' | 'toAddress' | 'token'>,
): Promise<TokenBalances> {
  const [units, treasury] = await Promise.all(
    [fromAddress, toAddress].map((address) => undefinedIfNoToken(node.balance(address, token))),
  );
  return { units: units ?? null, treasury: treasury ?? null };
}

/** Stores the balances after the transaction of a recovery. */
export const noteRecovered = (
  tx: Tx,
  { id }: Pick<GasOperation, 'id'>,
  { units: unitsAfter, treasury: treasuryAfter }: TokenBalances,
  blockNumber: number,
): Promise<void> => updateRecovery(tx, id, { unitsAfter, treasuryAfter, blockNumber });
