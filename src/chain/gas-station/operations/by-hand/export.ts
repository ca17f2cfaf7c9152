import type { Tx } from '../../../../kernel/db/database';
import { type Trc20Call, trc20Transfer } from '../../../../parties/chain/tron/calls';
import type { Services } from '../../../../services';
import { moveOperation } from '../end';
import type { GasOperation } from '../record';
import { updateOperation } from '../store';
import { lookAtGasOperation } from '../workflows';

/** What a person needs to execute an operation on a chain that no node is asked about. */
export interface HandTransfer extends Pick<GasOperation, 'asset' | 'decimals' | 'units'> {
  /** Who signs. */
  from: string;
  /** Who is to have it. */
  to: string;
  /** The call of the token; null: the native coin is sent. */
  call: ({ contract: string } & Trc20Call) | null;
}

const handTransferOf = ({
  asset,
  decimals,
  units,
  token,
  fromAddress: from,
  toAddress: to,
}: GasOperation): HandTransfer => ({
  ...{ asset, decimals, units, from, to },
  call: token === null ? null : { contract: token, ...trc20Transfer(to, units) },
});

/** Hands an operation to a person; exported again it is the same. The caller holds its lock, and knows that it is open. */
export async function handOver(
  services: Pick<Services, 'now' | 'commands'>,
  tx: Tx,
  operation: GasOperation,
): Promise<{ operation: GasOperation; transactions: HandTransfer[] }> {
  const at = services.now();
  // Who notes the gas of the wallet after this may have seen what was executed, however often it is read again.
  const exported = { exportedAt: operation.exportedAt ?? at };
  const after =
    operation.status === 'pending'
      ? await moveOperation(services, tx, operation, 'hand_over', exported)
      : await updateOperation(tx, operation.id, { ...exported, updatedAt: at });
  services.commands.append(tx, [lookAtGasOperation(after)]);
  return { operation: after, transactions: [handTransferOf(after)] };
}
