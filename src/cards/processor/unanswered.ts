import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../../kernel/db/database';
import { isAway } from '../../kernel/db/faults';
import { writeWithCommit } from '../../kernel/db/writes';
import { unavailable } from '../../kernel/errors';
import { answersWrite, type IdempotencyKey, lookUpKeys, type StoredAnswer } from '../../kernel/idempotency';
import { newId } from '../../kernel/ids';
import { Decimal } from '../../kernel/money/money';
import type { ProcessorMessage } from '../../parties/card-processor/message';
import { requireLockedCard } from '../cards/operations';
import { authorizedUnder, cancelledSince } from '../events/history';
import { recordCardEvent } from '../events/operations';
import type { CardServices } from '../services';
import { approvedReference } from './answers';
import { showUnbooked, showUnknownCard } from './breaks';
import { keyOfMessage } from './message-key';
import { type KeptMessage, storedMessage } from './record';
import { answerKept, findKept, keepMessage, lookUpMessages, settleKept } from './store';
import { startUnanswered } from './workflows';

/** What settling found for an authorization that was declined without being judged in time. */
export type Settled = 'released' | 'approved_before' | 'nothing_held' | 'recorded' | 'unknown_card';

/** A message that was declined without being judged in time. */
interface Unanswered {
  message: ProcessorMessage & { fingerprint: Buffer };
  /** The arrival, in milliseconds of the monotonic clock. */
  since: number;
  tenantId: string | null;
}

/** The pause between attempts to store a decline, in milliseconds. */
const RETRY_PAUSE_MS = 250;

/**
 * Stores the decline of an authorization that may have been committed, and starts the workflow that releases its hold.
 * Tries for as long as it takes.
 * @returns the answer to send: the first answer, when the message was stored before
 */
export async function declineUnanswered(
  services: CardServices,
  declined: Unanswered,
  answer: StoredAnswer,
): Promise<StoredAnswer> {
  for (;;) {
    try {
      return await writeDecline(services, declined, answer);
    } catch (error) {
      services.log.error(
        { messageId: declined.message.messageId, err: error },
        'a decline could not be stored',
      );
      if (!isAway(error)) throw error;
      await sleep(RETRY_PAUSE_MS, undefined, { ref: false });
    }
  }
}

function writeDecline(
  services: CardServices,
  { message, since, tenantId }: Unanswered,
  answer: StoredAnswer,
): Promise<StoredAnswer> {
  const { messageId, fingerprint } = message;
  const given: Parameters<typeof keepMessage>[1] = {
    id: newId('processorMessage'),
    messageId,
    fingerprint,
    message: storedMessage(message),
    tenantId,
    reason: 'unanswered',
    ...answer,
    settledAt: null,
  };
  return services.database.transaction(async (tx) => {
    const kept = await keepMessage(tx, given, since);
    services.commands.append(tx, [startUnanswered(kept)]);
    return { status: kept.status, body: kept.body };
  });
}

/**
 * Makes the books agree with the decline that the network got. A hold is released. An authorization that was not judged
 * is recorded as a decline under its key, so that it is never judged. A hold that was approved before the declined
 * message arrived stays, and a break shows it. Idempotent.
 * @throws Problem 503 while the authorization is being judged
 */
export async function settleUnanswered(
  services: CardServices,
  id: string,
): Promise<Settled | 'settled_before'> {
  const { database } = services;
  const kept = await findKept(database, id);
  if (!kept || kept.settledAt) return 'settled_before';
  const { messageId, message } = kept;
  const [found] = await lookUpMessages(database, [{ messageId, cardReference: message.cardReference }]);
  const { card } = found ?? {};
  return database.transaction(async (tx) => {
    const settled = card ? await settle(services, tx, kept, card) : await showCard(tx, kept);
    await settleKept(tx, id);
    return settled;
  });
}

async function showCard(tx: Tx, { message }: KeptMessage): Promise<Settled> {
  await showUnknownCard(tx, { ...message, amount: new Decimal(message.amount) });
  return 'unknown_card';
}

async function settle(
  services: CardServices,
  tx: Tx,
  kept: KeptMessage,
  card: { id: string; tenantId: string },
): Promise<Settled> {
  const key = keyOfMessage(card.tenantId, kept);
  const stored = await answerUnder(tx, key);
  if (stored === 'of_another') return showMismatch(tx, kept, card.tenantId);
  const { currency, merchant, networkReference: reference, ...message } = kept.message;
  const event = { type: 'unanswered', cardId: card.id, reach: null, currency, merchant, reference } as const;
  if (!stored) {
    writeWithCommit(tx, [answersWrite([{ key, answer: { status: kept.status, body: kept.body } }])]);
    await recordCardEvent(tx, services, { ...event, amount: new Decimal(message.amount) });
    return 'recorded';
  }
  const authorized = await authorizedUnder(tx, approvedReference(stored));
  if (!authorized) return 'nothing_held';
  if (authorized.at < kept.receivedAt) return showApproved(tx, kept, card.tenantId, stored);
  await requireLockedCard(tx, card.id); // so that every cancel so far is counted
  const cancelled = await cancelledSince(tx, authorized, kept.receivedAt);
  const { amount, referenceId } = authorized;
  const held = { ...event, amount, referenceId, cancelled };
  const { transaction } = await recordCardEvent(tx, services, held);
  return transaction ? 'released' : 'nothing_held';
}

/** Opens a break: the id belongs to another, judged message, so this message is never judged. */
async function showMismatch(tx: Tx, { message }: KeptMessage, tenantId: string): Promise<Settled> {
  const shown = { ...message, amount: new Decimal(message.amount) };
  await showUnbooked(tx, 'processor_message_mismatch', tenantId, shown);
  return 'nothing_held';
}

/**
 * Opens a break for an authorization that was approved before the declined message arrived. Both answers may have been
 * sent, so the hold stays and the message gets its first answer again.
 */
async function showApproved(
  tx: Tx,
  { id, message }: KeptMessage,
  tenantId: string,
  { status, body }: StoredAnswer,
): Promise<Settled> {
  await answerKept(tx, id, { status, body });
  const shown = { ...message, amount: new Decimal(message.amount) };
  await showUnbooked(tx, 'processor_answers_differ', tenantId, shown);
  return 'approved_before';
}

/**
 * The answer under a key. Locks the key until the end of the transaction, so that nobody judges the message meanwhile.
 */
async function answerUnder(tx: Tx, key: IdempotencyKey): Promise<StoredAnswer | 'of_another' | undefined> {
  const [lookup] = await lookUpKeys(tx, [key]);
  if (!lookup?.locked) throw unavailable('The message is being judged.');
  if (lookup.stored && !lookup.stored.fingerprint.equals(key.fingerprint)) return 'of_another';
  return lookup.stored;
}
