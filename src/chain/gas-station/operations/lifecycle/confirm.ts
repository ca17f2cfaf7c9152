import type { Tx } from '../../../../kernel/db/database';
import { conflict, type Problem } from '../../../../kernel/errors';
import { finalOf, isMined, type Mined, reportedTransaction } from '../../../../parties/chain/agreement';
import type { ChainTransaction, SentTransaction } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { requireHash } from '../../../networks/hashes';
import { requireChainAnswer } from '../../../networks/nodes/chain-answer';
import { attemptsOf, lockNonces, otherHolderOf } from '../nonces-store';
import { operationWith, requireOperation } from '../read';
import type { GasOperation, GasOperationType } from '../record';
import {
  type Difference,
  isOpen,
  isReverted,
  judge,
  judgeOwn,
  notIts,
  otherBooked,
  ownerOf,
  type Verdict,
} from '../rules';
import { type ChainContext, contextOf, finalBy } from '../steps/context';
import { updateOperation } from '../store';
import { lookAtGasOperation } from '../workflows';
import { bookReverted, endExecuted, moveOperation } from './end';
import { judgePending } from './judge-pending';

/** The chain's answer about a hash that a person has named. */
export interface Asked {
  hash: string;
  word: ChainTransaction;
  /** Has its confirmations, the nodes agree on its block, and most tell the same of the transaction. */
  isFinal: boolean;
  context: ChainContext;
}

type Named = { id: string; type: GasOperationType };

/**
 * Asks the chain about a hash.
 * @throws Problem 404; 400 naming `txHash`; 503
 */
export async function askAbout(
  services: Pick<Services, 'database' | 'keyring' | 'parties'>,
  { id, type }: Named,
  txHash: string,
): Promise<Asked> {
  const operation = await requireOperation(services.database, id, type);
  const context = await contextOf(services, operation);
  const hash = requireHash(context.network, txHash);
  const { node } = context;
  const reported = await requireChainAnswer(reportedTransaction(node, hash));
  const final = await requireChainAnswer(finalOf(node, reported, finalBy(context)));
  return { hash, word: reported.word, isFinal: final !== undefined, context };
}

const DIFFERENCES: Record<Difference, string> = {
  sender: 'its sender is another one',
  recipient: 'its recipient is another one',
  token: 'it moves another token',
  amount: 'its amount is less',
  success: 'it was reverted',
};

/** @property refusal set when the gas was booked and the operation otherwise stays unchanged */
export interface Confirmed {
  operation: GasOperation;
  refusal?: Problem;
}

/**
 * Confirms an operation by a transaction that a person names, after checking it against the chain. A final transaction
 * ends the operation; one on its way is followed. Idempotent for the same hash.
 * @throws Problem 404; 409 `invalid_transition` naming the difference, with the operation unchanged
 */
export async function confirmOperation(
  services: Pick<Services, 'now' | 'commands'>,
  tx: Tx,
  { id, type }: Named,
  asked: Asked,
): Promise<Confirmed> {
  const operation = await requireOperation(tx, id, type, { lock: 'update' });
  if (operation.executedAt !== null && operation.txHash === asked.hash) return { operation };
  const { hash, word } = asked;
  const ownership = await ownershipOf(tx, operation, asked);
  if (word.status === 'unknown') throw notIts('the chain does not know it');
  // A transaction of another sender cost us no gas, whatever its nonce.
  if (ownership !== 'signed' && isRevert(operation, word) && asked.isFinal) {
    const refusal = notIts(DIFFERENCES.success);
    const after = await bookReverted(services, tx, operation, asked.context.network, { hash, word });
    services.commands.append(tx, [lookAtGasOperation(after)]);
    return { operation: after, refusal };
  }
  if (operation.executedAt !== null) throw otherBooked();
  if (ownership === 'beside') throw notIts('another one was signed for it');
  if (word.status === 'pending' && ownership !== 'signed') await assertPending(tx, operation, word.sent);
  const after =
    word.status === 'pending'
      ? await followed(services, tx, operation, hash)
      : await mined(services, tx, operation, asked, word, ownership === 'signed');
  services.commands.append(tx, [lookAtGasOperation(after)]);
  return { operation: after };
}

/** @throws Problem 409 when the pending transaction is not the operation's, or does not show it */
async function assertPending(
  tx: Tx,
  operation: GasOperation,
  sent: SentTransaction | undefined,
): Promise<void> {
  const wrong = judgePending(operation, sent, await attemptsOf(tx, operation.id));
  if (wrong === 'unclear')
    throw notIts('it is in no block yet, and does not show what it moves: confirm it once it is in one');
  if (wrong) throw notIts(DIFFERENCES[wrong]);
}

function isRevert(operation: GasOperation, word: ChainTransaction): word is Mined {
  return isMined(word) && isReverted(judge(operation, word));
}

/**
 * `signed`: signed here for the operation; `told`: named by a person; `beside`: named although another one was signed
 * here.
 */
type Ownership = 'signed' | 'told' | 'beside';

/**
 * Checks that a hash can belong to the operation, because one transaction executes one operation (or one batch).
 * @throws Problem 409 when it is another operation's, or older than the operation
 */
async function ownershipOf(tx: Tx, operation: GasOperation, { hash, word }: Asked): Promise<Ownership> {
  const { id, chain, createdAt } = operation;
  const whole = ownerOf(operation);
  await lockNonces(tx, chain); // serialises two people who name the same hash
  const signed = (await attemptsOf(tx, whole)).flatMap(({ raw, hash: own }) => (raw && own) ?? []);
  if (signed.includes(hash)) return 'signed';
  const owner = await operationWith(tx, chain, hash);
  if (owner !== undefined && owner !== id) throw notIts(`it is of another operation, ${owner}`);
  if (isMined(word) && word.block.at.getTime() < createdAt.getTime() - CLOCKS_DIFFER_MS)
    throw notIts('it was executed before the operation was created');
  const sent = isMined(word) ? word : word.status === 'pending' ? word.sent : undefined;
  const holder = sent && (await otherHolderOf(tx, { chain, address: sent.from, nonce: sent.nonce }, whole));
  if (holder !== undefined) throw notIts(`its nonce is of another operation, ${holder}`);
  return signed.length > 0 ? 'beside' : 'told';
}

/** Most that a chain's clock, which counts seconds, may be behind ours. */
const CLOCKS_DIFFER_MS = 60_000;

async function mined(
  services: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  { hash, isFinal: isDone, context: { network } }: Asked,
  word: Mined,
  isSigned: boolean,
): Promise<GasOperation> {
  const verdict: Verdict = (isSigned ? judgeOwn : judge)(operation, word);
  // A transaction signed here is booked whatever it did.
  if (verdict.is === 'wrong' && !(isSigned && isDone)) throw notIts(DIFFERENCES[verdict.in]);
  return isDone
    ? endExecuted(services, tx, operation, network, { hash, word, verdict })
    : followed(services, tx, operation, hash);
}

async function followed(
  services: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  hash: string,
): Promise<GasOperation> {
  if (!isOpen(operation))
    throw conflict(
      'invalid_transition',
      `The operation is ${operation.status}, and the transaction has too few confirmations: repeat this later.`,
      'txHash',
    );
  if (operation.status !== 'confirming')
    return moveOperation(services, tx, operation, 'follow', { txHash: hash });
  if (operation.txHash === hash) return operation;
  return updateOperation(tx, operation.id, { txHash: hash, waitsFor: null, updatedAt: services.now() });
}
