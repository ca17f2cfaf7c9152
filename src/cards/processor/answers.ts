import type { StoredAnswer } from '../../kernel/idempotency';
import { idNamed } from '../../kernel/ids';
import type {
  AuthorizationAnswer,
  NoticeAnswer,
  ProcessorMessage,
} from '../../parties/card-processor/message';
import type { CardTransaction } from '../events/record';

const answered = (body: AuthorizationAnswer | NoticeAnswer): StoredAnswer => ({
  status: 200,
  body: JSON.stringify(body),
});

/** Reasons of a decline without an event on a card. */
type Unjudged = 'processing_error' | 'unknown_card' | 'limit_exceeded';

export const declined = (message: Named, declineReason: Unjudged): StoredAnswer =>
  answered({ approved: false, declineReason, referenceId: derivedReference(message) });

type Named = Pick<ProcessorMessage, 'messageId'>;

/**
 * The reference of an answer without an event. Derived from the message id, so that all processes give the same answer.
 */
const derivedReference = ({ messageId }: Named): string => idNamed('reference', `of message ${messageId}`);

export const isAuthorization = ({ type }: Pick<ProcessorMessage, 'type'>): boolean =>
  type === 'authorization';

/** The answer to a judged message. When an authorization held nothing, its reference is derived from the message. */
export function judgedAnswer(
  message: ProcessorMessage,
  transaction: CardTransaction | undefined,
): StoredAnswer {
  const referenceId = transaction?.referenceId ?? derivedReference(message);
  if (!isAuthorization(message)) return answered({ referenceId });
  if (transaction?.type !== 'decline') return answered({ approved: true, referenceId });
  return answered({ approved: false, declineReason: transaction.declineReason ?? undefined, referenceId });
}

/** The answer to a message that no card can be charged for: an authorization is declined, a notice is not booked. */
export const refusedAnswer = (message: ProcessorMessage): StoredAnswer =>
  isAuthorization(message)
    ? declined(message, 'limit_exceeded')
    : answered({ referenceId: derivedReference(message), unbooked: 'not_bookable' });

/** The answer to a message about an unknown card. */
export const unknownCardAnswer = (message: ProcessorMessage): StoredAnswer =>
  isAuthorization(message)
    ? declined(message, 'unknown_card')
    : answered({ referenceId: derivedReference(message), unbooked: 'unknown_card' });

/** Whether a notice moved no money here, although the network moved money. */
export const isUnbooked = ({ body }: StoredAnswer): boolean =>
  (JSON.parse(body) as NoticeAnswer).unbooked !== undefined;

/** The reference of an approved authorization; undefined for a decline. */
export function approvedReference({ body }: StoredAnswer): string | undefined {
  const { approved, referenceId } = JSON.parse(body) as AuthorizationAnswer;
  return approved ? referenceId : undefined;
}
