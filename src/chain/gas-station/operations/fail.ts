import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, type Problem } from '../../../kernel/errors';
import type { ChainNode } from '../../../parties/chain/port';
import type { Services } from '../../../services';
import { askedOfChain } from '../../networks/asking';
import { endUnexecuted } from './end';
import { showTaken } from './nonces/breaks';
import type { Attempt } from './nonces/record';
import { attemptsOf } from './nonces/store';
import { requireOperation } from './read';
import type { GasOperation, GasOperationType } from './record';
import { isOpen } from './rules';
import { executedSinceExport } from './search';
import { contextOf } from './steps/context';
import { countMembers, membersOf, updateOperation } from './store';
import { lookAtGasOperation } from './workflows';

type Named = { id: string; type: GasOperationType };

/** What the chain says of the transaction of an operation that is to be failed. */
type Fate =
  /**
   * Nothing of it is executed any more. The nonce is free where nobody has what was handed over, and it is not the next one; never that
   * of a batch: were it executed after all, nobody would know whose money it has moved.
   */
  | { is: 'unexecuted'; isNonceFree: boolean }
  /** It was signed here and handed over, and may be executed. */
  | { is: 'possible' }
  /** A person has named it, and it may be executed. */
  | { is: 'named' }
  /** Its exported nonce was used, by its transfer. */
  | { is: 'executed'; hash: string }
  /** Its exported nonce was used, and no transfer is found. */
  | { is: 'used'; held: Attempt };

/** Of the operation whose transaction it is, as it was when the chain was asked. */
export interface Fallible {
  whole: Pick<GasOperation, 'id' | 'revision'>;
  fate: Fate;
}

const UNEXECUTED: Fate = { is: 'unexecuted', isNonceFree: false };

/** Asks the chain where something has been handed to it, or exported. @throws Problem 404; 503 */
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
  // What is signed and not handed over nobody has, and it is handed over under another revision only.
  const given = attempts.filter(({ broadcastAt }) => broadcastAt !== null);
  const exported = execution === 'manual' ? attempts[0] : undefined;
  if (txHash === null && given.length === 0 && !exported) return UNEXECUTED;
  const { node } = await contextOf(services, operation);
  const [first] = given;
  if (!first) return askedOfChain(fateOfExported(services.database, node, operation, exported));
  const hashes = [...(txHash === null ? [] : [txHash]), ...given.flatMap(({ hash }) => hash ?? [])];
  const isKeptBack = waitsFor === 'nonce_gap' && (await countMembers(services.database, id)) === 0;
  return askedOfChain(fateOfSigned(node, hashes, first, isKeptBack));
}

/**
 * What was handed over can be executed for as long as its nonce is free.
 * @param isKeptBack it waits for earlier ones that are in no block, and is not handed over again: while no node has it, and each of them
 *   says so, nobody executes it
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

/** An export may have been signed and executed elsewhere, which the chain shows by its nonce. */
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

/** @property refusal why the operation stays as it is, though a person is shown something */
export interface Failed {
  operation: GasOperation;
  refusal?: Problem;
}

/**
 * Ends an operation of which nothing is executed any more, by a person's word. What was signed here and may be executed is cancelled:
 * it ends when one of its transactions is final.
 * @param named `batch`: with all that share its transaction
 * @throws Problem 404; 409 `invalid_transition` where it has ended, shares its transaction, or was executed elsewhere
 */
export async function failOperation(
  services: Pick<Services, 'now' | 'commands'>,
  tx: Tx,
  { id, type, reason, batch }: Named & { reason: string; batch: boolean },
  { whole: { id: wholeId, revision }, fate }: Fallible,
): Promise<Failed> {
  const whole = await requireOperation(tx, wholeId, null, { lock: true });
  const operation = wholeId === id ? whole : await requireOperation(tx, id, type, { lock: true });
  if (!isOpen(operation)) throw conflict('invalid_transition', `The operation is ${operation.status}.`);
  if (whole.revision !== revision || (operation.batchOf ?? id) !== wholeId)
    throw conflict('invalid_transition', 'The operation has changed meanwhile: read it again.');
  if (fate.is === 'named')
    throw conflict('invalid_transition', 'The operation has a transaction that may still be executed.');
  if (fate.is === 'executed')
    throw conflict('invalid_transition', `The transfer was executed: confirm ${fate.hash}.`);
  if (fate.is === 'used') {
    await showTaken(tx, fate.held);
    return { operation, refusal: NONCE_USED };
  }
  const others = await membersOf(tx, wholeId);
  const isAlone = others.length === 0 || (fate.is === 'unexecuted' && operation === whole);
  if (!isAlone && !batch) throw shared([whole, ...others]);
  const all = [whole, ...(batch ? others : [])];
  for (const each of all) await endOne(services, tx, each.id, reason, fate);
  return { operation: await requireOperation(tx, id, type) };
}

const NONCE_USED = conflict(
  'invalid_transition',
  'The nonce of the exported transaction has been used, and no transfer of it is found: confirm its hash.',
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
  const operation = await requireOperation(tx, id, null, { lock: true });
  if (!isOpen(operation)) return;
  const after =
    fate.is === 'possible'
      ? await updateOperation(tx, id, {
          ...{ cancelReason: operation.cancelReason ?? reason, waitsFor: null, updatedAt: services.now() },
        })
      : await endUnexecuted(services, tx, operation, {
          ...{ on: 'fail', code: 'by_operator', reason, isNonceFree: fate.isNonceFree },
        });
  services.commands.append(tx, [lookAtGasOperation(after)]);
}
