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

/** Why an authorization is declined without an event of its card. */
type Unjudged = 'processing_error' | 'unknown_card' | 'limit_exceeded';

export const declined = (message: Named, declineReason: Unjudged): StoredAnswer =>
  answered({ approved: false, declineReason, referenceId: ownReference(message) });

type Named = Pick<ProcessorMessage, 'messageId'>;

/** Where no event has one: the same for the same message, whichever process answers it and whatever is known of it then. */
const ownReference = ({ messageId }: Named): string => idNamed('reference', `of message ${messageId}`);

export const isAuthorization = ({ type }: Pick<ProcessorMessage, 'type'>): boolean =>
  type === 'authorization';

/** What is answered where the message was judged. An authorization that held nothing gets a reference that no event has. */
export function judgedAnswer(
  message: ProcessorMessage,
  transaction: CardTransaction | undefined,
): StoredAnswer {
  const referenceId = transaction?.referenceId ?? ownReference(message);
  if (!isAuthorization(message)) return answered({ referenceId });
  if (transaction?.type !== 'decline') return answered({ approved: true, referenceId });
  return answered({ approved: false, declineReason: transaction.declineReason ?? undefined, referenceId });
}

/** What no card can be charged: an authorization is declined, and whatever else the network says is kept for a person. */
export const refusedAnswer = (message: ProcessorMessage): StoredAnswer =>
  isAuthorization(message)
    ? declined(message, 'limit_exceeded')
    : answered({ referenceId: ownReference(message), unbooked: 'not_bookable' });

/** The card is none of ours. */
export const unknownCardAnswer = (message: ProcessorMessage): StoredAnswer =>
  isAuthorization(message)
    ? declined(message, 'unknown_card')
    : answered({ referenceId: ownReference(message), unbooked: 'unknown_card' });

/** Whether the message moved nothing although the network says that money moves. */
export const isUnbooked = ({ body }: StoredAnswer): boolean =>
  (JSON.parse(body) as NoticeAnswer).unbooked !== undefined;

/** The reference of what an authorization's answer holds, where it was approved. */
export function approvedReference({ body }: StoredAnswer): string | undefined {
  const { approved, referenceId } = JSON.parse(body) as AuthorizationAnswer;
  return approved ? referenceId : undefined;
}
