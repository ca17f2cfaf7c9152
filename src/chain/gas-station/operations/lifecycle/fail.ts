import type { Sql, Tx } from '../../../../kernel/db/database';
import { conflict, type Problem } from '../../../../kernel/errors';
import type { ChainNode } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { requireChainAnswer } from '../../../networks/nodes/chain-answer';
import { showTaken } from '../nonces/breaks';
import type { Attempt } from '../nonces/record';
import { attemptsOf } from '../nonces-store';
import { requireOperation } from '../read';
import type { GasOperation, GasOperationType } from '../record';
import { isOpen, ownerOf } from '../rules';
import { contextOf } from '../steps/context';
import { countMembers, membersOf, updateOperation } from '../store';
import { lookAtGasOperation } from '../workflows';
import { endUnexecuted } from './end';
import { executedSinceExport } from './search';

type Named = { id: string; type: GasOperationType };

/** The chain's answer about the transaction of an operation that a person fails. */
type Fate =
  /**
   * Cannot be executed any more. The nonce is free when no node has the broadcast attempt and it is not the sender's
   * next. The nonce of a batch is never freed, because a late execution could not be assigned to its wallets.
   */
  | { is: 'unexecuted'; isNonceFree: boolean }
  /** Signed here and broadcast, so it may be executed. */
  | { is: 'possible' }
  /** Named by a person, and may be executed. */
  | { is: 'named' }
  /** The exported nonce was used by the operation's transfer. */
  | { is: 'executed'; hash: string }
  /** The exported nonce was used, and no transfer was found. */
  | { is: 'used'; held: Attempt };

/** The operation that owns the transaction, as it was when the chain was asked. */
export interface Fallible {
  whole: Pick<GasOperation, 'id' | 'revision'>;
  fate: Fate;
}

const UNEXECUTED: Fate = { is: 'unexecuted', isNonceFree: false };

/**
 * Asks the chain when a transaction was broadcast or exported.
 * @throws Problem 404; 503
 */
export async function fallible(
  services: Pick<Services, 'database' | 'keyring' | 'parties'>,
  { id, type }: Named,
): Promise<Fallible> {
  const operation = await requireOperation(services.database, id, type);
  const { batchOf } = operation;
  const whole = batchOf === null ? operation : await requireOperation(services.database, batchOf, null);
  return { whole, fate: isOpen(operation) ? await fateOf(services, whole) : UNEXECUTED };
}

async function fateOf(
  services: Pick<Services, 'database' | 'keyring' | 'parties'>,
  operation: GasOperation,
): Promise<Fate> {
  const { id, txHash, execution, waitsFor } = operation;
  const attempts = await attemptsOf(services.database, id);
  // Nobody else has a signed attempt before its broadcast, and a broadcast changes the revision.
  const given = attempts.filter(({ broadcastAt }) => broadcastAt !== null);
  const exported = execution === 'manual' ? attempts[0] : undefined;
  if (txHash === null && given.length === 0 && !exported) return UNEXECUTED;
  const { node } = await contextOf(services, operation);
  const [first] = given;
  if (!first) return requireChainAnswer(fateOfExported(services.database, node, operation, exported));
  const hashes = [...(txHash === null ? [] : [txHash]), ...given.flatMap(({ hash }) => hash ?? [])];
  const isKeptBack = waitsFor === 'nonce_gap' && (await countMembers(services.database, operation)) === 0;
  return requireChainAnswer(fateOfSigned(node, hashes, first, isKeptBack));
}

/**
 * Judges a broadcast transaction, which can be executed while its nonce is unused.
 * @param isKeptBack the operation waits for an earlier nonce, and its attempts are not broadcast again. If every node
 *   denies them, nobody can execute them.
 */
async function fateOfSigned(
  node: ChainNode,
  hashes: readonly string[],
  first: Attempt,
  isKeptBack: boolean,
): Promise<Fate> {
  const counted = await node.nonce(first.address);
  const words = await Promise.all(hashes.map((hash) => node.transaction(hash)));
  if (words.some(({ status }) => status !== 'unknown')) return { is: 'possible' };
  if (counted > first.nonce) return UNEXECUTED;
  if (!isKeptBack || counted === first.nonce) return { is: 'possible' };
  const each = await Promise.all(hashes.map((hash) => node.transactionOfEach(hash)));
  const isNonceFree = each.every(
    ({ said, of }) => said.length === of && said.every(({ status }) => status === 'unknown'),
  );
  return isNonceFree ? { is: 'unexecuted', isNonceFree } : { is: 'possible' };
}

/** Judges an export, which may have been signed and executed elsewhere. The chain shows that by its nonce. */
async function fateOfExported(
  sql: Sql,
  node: ChainNode,
  operation: GasOperation,
  held: Attempt | undefined,
): Promise<Fate> {
  const { txHash } = operation;
  const counted = held ? await node.nonce(held.address) : 0;
  if (txHash !== null && (await node.transaction(txHash)).status !== 'unknown') return { is: 'named' };
  if (!held || counted <= held.nonce) return UNEXECUTED;
  const hash = await executedSinceExport(sql, node, operation);
  return hash === undefined ? { is: 'used', held } : { is: 'executed', hash };
}

/** @property refusal set when the operation stays unchanged but a break was opened */
export interface Failed {
  operation: GasOperation;
  refusal?: Problem;
}

/**
 * Fails an operation on a person's decision. An attempt that was signed here and may be executed is cancelled instead:
 * the operation ends when one of its transactions is final.
 * @param named `batch`: fails all operations that share the transaction
 * @throws Problem 404; 409 `invalid_transition` when it has ended, shares its transaction, or was executed elsewhere
 */
export async function failOperation(
  services: Pick<Services, 'now' | 'commands'>,
  tx: Tx,
  { id, type, reason, batch }: Named & { reason: string; batch: boolean },
  { whole: { id: wholeId, revision }, fate }: Fallible,
): Promise<Failed> {
  const whole = await requireOperation(tx, wholeId, null, { lock: 'update' });
  const operation = wholeId === id ? whole : await requireOperation(tx, id, type, { lock: 'update' });
  if (!isOpen(operation)) throw conflict('invalid_transition', `The operation is ${operation.status}.`);
  if (whole.revision !== revision || ownerOf(operation) !== wholeId)
    throw conflict('invalid_transition', 'The operation has changed meanwhile: read it again.');
  if (fate.is === 'named')
    throw conflict('invalid_transition', 'The operation has a transaction that may still be executed.');
  if (fate.is === 'executed')
    throw conflict('invalid_transition', `The transfer was executed: confirm ${fate.hash}.`);
  if (fate.is === 'used') {
    await showTaken(tx, fate.held);
    return { operation, refusal: NONCE_USED };
  }
  const others = await membersOf(tx, whole);
  const isAlone = others.length === 0 || (fate.is === 'unexecuted' && operation === whole);
  if (!isAlone && !batch) throw shared([whole, ...others]);
  const all = [whole, ...(batch ? others : [])];
  for (const each of all) await endOne(services, tx, each.id, reason, fate);
  return { operation: await requireOperation(tx, id, type) };
}

const NONCE_USED = conflict(
  'invalid_transition',
  'The nonce of the exported transaction has been used, and no transfer was found: confirm its hash.',
);

const shared = (all: readonly GasOperation[]): Problem =>
  conflict(
    'invalid_transition',
    `One transaction is shared by ${all.map(({ id }) => id).join(', ')}: fail all of them with batch.`,
    'batch',
  );

async function endOne(
  services: Pick<Services, 'now' | 'commands'>,
  tx: Tx,
  id: string,
  reason: string,
  fate: Extract<Fate, { is: 'unexecuted' | 'possible' }>,
): Promise<void> {
  const operation = await requireOperation(tx, id, null, { lock: 'update' });
  if (!isOpen(operation)) return;
  const after =
    fate.is === 'possible'
      ? await updateOperation(tx, id, {
          cancelReason: operation.cancelReason ?? reason,
          waitsFor: null,
          updatedAt: services.now(),
        })
      : await endUnexecuted(services, tx, operation, {
          on: 'fail',
          code: 'by_operator',
          reason,
          isNonceFree: fate.isNonceFree,
        });
  services.commands.append(tx, [lookAtGasOperation(after)]);
}
