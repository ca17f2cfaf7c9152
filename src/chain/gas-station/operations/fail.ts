import type { Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import type { ChainNode } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { askedOfChain } from '../../networks/asking';
import { endUnexecuted } from './end';
import type { Attempt } from './nonces/record';
import { attemptsOf } from './nonces/store';
import { requireOperation } from './read';
import type { GasOperation, GasOperationType } from './record';
import { isOpen } from './rules';
import { reach } from './steps/reach';
import { countMembers } from './store';
import { lookAtGasOperation } from './workflows';

type Named = { id: string; type: GasOperationType };

/** Whether something of an operation may yet be executed, as the chain says; of the revision that was asked for. */
export interface Fallible {
  revision: number;
  mayBeExecuted: boolean;
  /**
   * Nobody has what was handed over, and its nonce is not the next one: it goes to whoever comes next. Never that of a batch: were it
   * executed after all, nobody would know whose money it has moved.
   */
  isNonceFree?: boolean;
}

/** Asks the chain where something has been handed to it. @throws Problem 404; 503 */
export async function fallible(
  services: Pick<Services, 'database' | 'keyring' | 'parties'>,
  { id, type }: Named,
): Promise<Fallible> {
  const operation = await requireOperation(services.database, id, type);
  const { revision, txHash, batchOf, waitsFor } = operation;
  const attempts = await attemptsOf(services.database, batchOf ?? id);
  // What is signed and not handed over nobody has, and it is handed over under another revision only.
  const given = attempts.filter(({ broadcastAt }) => broadcastAt !== null);
  // Of a batch that is to be handed over: it is another operation that does that.
  if (batchOf !== null && attempts.length > given.length)
    return { revision, mayBeExecuted: isOpen(operation) };
  const hashes = [...(txHash === null ? [] : [txHash]), ...given.flatMap(({ hash }) => hash ?? [])];
  if (!isOpen(operation) || hashes.length === 0) return { revision, mayBeExecuted: false };
  const isKeptBack = waitsFor === 'nonce_gap' && (await countMembers(services.database, batchOf ?? id)) === 0;
  const { node } = await reach(services, operation);
  return {
    revision,
    ...(await askedOfChain(mayYetBeExecuted(node, hashes, given[0], isKeptBack))),
  };
}

/**
 * What was handed over can be executed for as long as its nonce is free.
 * @param isKeptBack it waits for earlier ones that are in no block, and is not handed over again: while no node has it, and each of them
 *   says so, nobody executes it
 */
async function mayYetBeExecuted(
  node: ChainNode,
  hashes: readonly string[],
  first: Attempt | undefined,
  isKeptBack: boolean,
): Promise<Pick<Fallible, 'mayBeExecuted' | 'isNonceFree'>> {
  const counted = first === undefined ? 0 : await node.nonce(first.address);
  const words = await Promise.all(hashes.map((hash) => node.transaction(hash)));
  if (words.some(({ status }) => status !== 'unknown')) return { mayBeExecuted: true };
  if (first === undefined || counted > first.nonce) return { mayBeExecuted: false };
  if (!isKeptBack || counted === first.nonce) return { mayBeExecuted: true };
  const each = await Promise.all(hashes.map((hash) => node.transactionOfEach(hash)));
  const isNonceFree = each.every(
    ({ said, of }) => said.length === of && said.every(({ status }) => status === 'unknown'),
  );
  return { mayBeExecuted: !isNonceFree, isNonceFree };
}

/**
 * Ends an operation of which nothing is executed any more, by a person's word.
 * @throws Problem 404; 409 `invalid_transition` where it has ended, or the chain may still execute it
 */
export async function failOperation(
  services: Pick<Services, 'now' | 'commands'>,
  tx: Tx,
  { id, type, reason }: Named & { reason: string },
  { revision, mayBeExecuted, isNonceFree = false }: Fallible,
): Promise<GasOperation> {
  const operation = await requireOperation(tx, id, type, { lock: true });
  if (!isOpen(operation)) throw conflict('invalid_transition', `The operation is ${operation.status}.`);
  if (operation.revision !== revision)
    throw conflict('invalid_transition', 'The operation has changed meanwhile: read it again.');
  if (mayBeExecuted)
    throw conflict('invalid_transition', 'The operation has a transaction that may still be executed.');
  const after = await endUnexecuted(services, tx, operation, {
    ...{ on: 'fail', code: 'by_operator', reason, isNonceFree },
  });
  services.commands.append(tx, [lookAtGasOperation(after)]);
  return after;
}
