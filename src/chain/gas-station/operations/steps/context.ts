import type { Tx } from '../../../../kernel/db/database';
import type { FinalBy } from '../../../../parties/chain/agreement';
import type { ChainNode } from '../../../../parties/chain/port';
import { RecordLost } from '../../../../process/lost-record';
import type { Services } from '../../../../services';
import { nodeOf } from '../../../networks/nodes/nodes';
import type { Network } from '../../../networks/record';
import { findWallet } from '../../../wallets/operations';
import { requireGasConfig } from '../../config/operations';
import type { GasConfig } from '../../config/record';
import type { SweepParties } from '../../strategies/port';
import type { Attempt } from '../nonces/record';
import { attemptsOf } from '../nonces-store';
import type { GasOperation } from '../record';
import { ownerOf } from '../rules';
import { findOperation } from '../store';

/** An operation before the chain was asked, with the attempts of it or of its batch. */
export interface Snapshot {
  operation: GasOperation;
  attempts: Attempt[];
}

/** @throws RecordLost */
export async function readOperation(
  { database }: Pick<Services, 'database'>,
  id: string,
): Promise<GasOperation> {
  const operation = await findOperation(database, id);
  if (!operation) throw new RecordLost('gas_operation', id);
  return operation;
}

/** @throws RecordLost */
export async function readSnapshot(services: Pick<Services, 'database'>, id: string): Promise<Snapshot> {
  const operation = await readOperation(services, id);
  return { operation, attempts: await attemptsOf(services.database, ownerOf(operation)) };
}

export interface ChainContext extends Pick<SweepParties, 'authorize'> {
  network: Network;
  node: ChainNode;
  config: GasConfig;
}

/** The network, nodes and configuration of an operation's chain. */
export async function contextOf(
  services: Pick<Services, 'database' | 'keyring' | 'parties'>,
  { chain }: Pick<GasOperation, 'chain'>,
): Promise<ChainContext> {
  const { network, node } = await nodeOf(services, services.database, chain);
  const config = await requireGasConfig(services.database, network);
  return { network, node, config, authorize: authorizer(services, network) };
}

/** What makes the block of an operation's transaction final. */
export const finalBy = ({ network, config }: Pick<ChainContext, 'network' | 'config'>): FinalBy => ({
  confirmations: config.sweepConfirmations,
  finality: network.finality,
});

const authorizer =
  (
    { database, parties }: Pick<Services, 'database' | 'parties'>,
    { chain, chainId }: Network,
  ): ChainContext['authorize'] =>
  async (address, given) => {
    const wallet = await findWallet(database, chain, address);
    if (!wallet) throw new Error(`${address} is not our wallet and cannot authorize`);
    return parties.signer.signAuthorization(wallet.derivationIndex, { ...given, chainId });
  };

/**
 * Writes a decision only if the operation has the revision that was read. No lock is held while a node is asked.
 * @returns whether it was written
 */
export const whileUnchanged = (
  { database }: Pick<Services, 'database'>,
  { id, revision }: Pick<GasOperation, 'id' | 'revision'>,
  write: (tx: Tx, operation: GasOperation) => Promise<unknown>,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const operation = await findOperation(tx, id, { lock: 'update' });
    if (operation?.revision !== revision) return false;
    await write(tx, operation);
    return true;
  });
