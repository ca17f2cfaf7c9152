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
import { keyOfMessage } from './key';
import { type KeptMessage, storedMessage } from './record';
import { answerKept, findKept, keepMessage, lookUpMessages, settleKept } from './store';
import { startUnanswered } from './workflows';

/** What became of an authorization that was declined without an answer. */
export type Settled = 'released' | 'approved_before' | 'nothing_held' | 'recorded' | 'unknown_card';

/** The message that was declined. */
interface Unanswered {
  message: ProcessorMessage & { fingerprint: Buffer };
  /** When it came: milliseconds, monotonic. */
  since: number;
  tenantId: string | null;
}

/** Between two attempts at writing one down. Milliseconds. */
const AGAIN_MS = 250;

/**
 * Writes down, however long that takes, that an authorization is declined although it may be committed: with that begins the
 * process that releases what it may hold.
 * @returns what is to be answered: the first answer, where the message came before
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
        'a decline could not be written down',
      );
      if (!isAway(error)) throw error;
      await sleep(AGAIN_MS, undefined, { ref: false });
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
    ...{ id: newId('processorMessage'), messageId, fingerprint, message: storedMessage(message), tenantId },
    ...{ reason: 'unanswered', ...answer, settledAt: null },
  };
  return services.database.transaction(async (tx) => {
    const kept = await keepMessage(tx, given, since);
    services.commands.append(tx, [startUnanswered(kept)]);
    return { status: kept.status, body: kept.body };
  });
}

/**
 * Makes the books say what the network was told: what the authorization holds after all is released; where it holds nothing, its
 * decline is recorded, and its key has that answer, so that it is never judged. What had been approved before it came to whoever
 * declined it stays held, and a person is shown. Idempotent.
 * @throws Problem 503 while it is being judged
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
  await requireLockedCard(tx, card.id); // what is cancelled now is seen
  const cancelled = await cancelledSince(tx, authorized, kept.receivedAt);
  const { amount, referenceId } = authorized;
  const held = { ...event, amount, referenceId, cancelled };
  const { transaction } = await recordCardEvent(tx, services, held);
  return transaction ? 'released' : 'nothing_held';
}

/** Its name is another message's, which was judged: this one never will be. */
async function showMismatch(tx: Tx, { message }: KeptMessage, tenantId: string): Promise<Settled> {
  const shown = { ...message, amount: new Decimal(message.amount) };
  await showUnbooked(tx, 'processor_message_mismatch', tenantId, shown);
  return 'nothing_held';
}

/**
 * It had been approved before it came to whoever declined it, so both may have been answered: what is held stays, the first answer
 * is the message's again, and a person looks at what the network has made of it.
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

/** Its key is locked to the end of the transaction: nobody judges it meanwhile. */
async function answerUnder(tx: Tx, key: IdempotencyKey): Promise<StoredAnswer | 'of_another' | undefined> {
  const [lookup] = await lookUpKeys(tx, [key]);
  if (!lookup?.locked) throw unavailable('The message is being judged.');
  if (lookup.stored && !lookup.stored.fingerprint.equals(key.fingerprint)) return 'of_another';
  return lookup.stored;
}
