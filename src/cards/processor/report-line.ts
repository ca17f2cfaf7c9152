import type { Problem } from '../../kernel/errors';
import { type KeyedAnswer, type StoredAnswer, storedAnswer, withKey } from '../../kernel/idempotency';
import type { AuthorizationAnswer, ProcessorMessage } from '../../parties/card-processor/message';
import type { NetworkDecision, NetworkReport } from '../../parties/card-processor/report';
import { recordCardEvent } from '../events/operations';
import type { CardServices } from '../services';
import { isMismatch, type ProcessorLine } from './answer-message';
import { approvedReference, declined } from './answers';
import { fingerprintOf, keyOfMessage } from './message-key';
import { lookUpMessages } from './store';

export interface ReportLine {
  /**
   * Books what a processor reports of its network. Idempotent, because each part has a name of its own.
   * @throws Problem as {@link ProcessorLine.answer}; 422 only after all other parts are booked
   */
  book(report: NetworkReport): Promise<void>;
}

/**
 * Books reports of a processor that decides authorizations itself after it has asked us. The books follow the processor's
 * decision, because the merchant has acted on it.
 */
export function createReportLine(services: CardServices, line: ProcessorLine): ReportLine {
  return {
    async book({ decisions, messages }) {
      const parts = [
        ...decisions.map((decision) => () => settleDecision(services, line, decision)),
        ...messages.map((message) => () => line.answer(message)),
      ];
      // A mismatch waits for a person, and the other parts must not wait with it.
      let mismatch: Problem | undefined;
      for (const part of parts)
        await part().catch((error: unknown) => {
          if (!isMismatch(error)) throw error;
          mismatch ??= error;
        });
      if (mismatch) throw mismatch;
    },
  };
}

function settleDecision(services: CardServices, line: ProcessorLine, decision: NetworkDecision) {
  return decision.approved
    ? holdApproved(line, decision.authorization)
    : releaseDeclined(services, line, decision);
}

/**
 * Holds an approved authorization that we have not approved. The advice has the name of the question, so only one of
 * them is booked. The advice has a name of its own if we have declined the question.
 */
async function holdApproved(line: ProcessorLine, authorization: ProcessorMessage): Promise<void> {
  const { body } = await line.answer(authorization);
  const { approved } = JSON.parse(body) as Partial<AuthorizationAnswer>;
  if (approved === false) await line.answer(renamed(authorization, 'advice', 'approved'));
}

/**
 * Releases the hold of a declined authorization that we have approved. If we were asked and have not answered, the
 * decline is recorded, so that the question is never judged.
 */
async function releaseDeclined(
  services: CardServices,
  line: ProcessorLine,
  { authorization, asked }: NetworkDecision,
): Promise<void> {
  if (authorization.amount.isZero()) return;
  const { database } = services;
  const [found = {}] = await lookUpMessages(database, [authorization]);
  const { kept, card } = found;
  // An unknown card holds nothing. The workflow of an unanswered decline releases its hold.
  if (kept || !card) return;
  const fingerprint = fingerprintOf(authorization.received);
  const key = keyOfMessage(card.tenantId, { messageId: authorization.messageId, fingerprint });
  const answer = asked
    ? await withKey(
        database,
        key,
        (tx) => recordDecline(services, tx, authorization, card.id),
        () => declined(authorization, 'limit_exceeded'),
      )
    : await storedAnswer(database, key);
  if (answer && approvedReference(answer) !== undefined)
    await line.answer(renamed(authorization, 'reversal', 'declined'));
}

async function recordDecline(
  services: CardServices,
  tx: Parameters<typeof recordCardEvent>[0],
  authorization: ProcessorMessage,
  cardId: string,
): Promise<StoredAnswer> {
  const { amount, currency, merchant, networkReference: reference } = authorization;
  await recordCardEvent(tx, services, {
    type: 'unanswered',
    cardId,
    reach: null,
    amount,
    currency,
    merchant,
    reference,
  });
  return declined(authorization, 'processing_error');
}

/** Makes a message about the same request, under a name that follows from the request's. */
function renamed(
  authorization: ProcessorMessage,
  type: 'advice' | 'reversal',
  suffix: 'approved' | 'declined',
): ProcessorMessage {
  const messageId = `${authorization.messageId}:${suffix}`;
  return { ...authorization, type, messageId, received: { ...authorization.received, type, messageId } };
}

/** The answer to a report. The sender only needs to know that the report was booked. */
export const REPORT_BOOKED: KeyedAnswer = { status: 200, body: '{}', replayed: false };
