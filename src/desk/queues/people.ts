import {
  awaitingReview as cardholdersToReview,
  countAwaitingReview as countCardholders,
} from '../../people/cardholders/review/decision';
import { cardholderView } from '../../people/cardholders/view';
import { countAwaitingReview as countKyc, awaitingReview as kycToReview } from '../../people/kyc/operations';
import { type Queue, queueOf } from '../queue';

export const cardholders: Queue = queueOf({
  name: 'cardholders',
  description: 'cardholders in pending_review: submit them to the party or reject them',
  kind: 'BIN',
  columns: ['id', 'client', 'user', 'bin', 'name'],
  load: ({ database }, filter) => cardholdersToReview(database, filter),
  count: (sql) => countCardholders(sql),
  place: ({ id, tenantId, updatedAt }) => ({ id, tenantId, since: updatedAt }),
  cells: ({ id, tenantId, userId, bin, maskedName }) => [id, tenantId, userId, bin, maskedName],
  record: cardholderView,
});

export const kyc: Queue = queueOf({
  name: 'kyc',
  description: 'KYC reviews of users: approve or reject their documents',
  columns: ['user', 'client', 'submission'],
  load: ({ database }, filter) => kycToReview(database, filter),
  count: (sql) => countKyc(sql),
  place: ({ userId, tenantId, submittedAt }) => ({ id: userId, tenantId, since: submittedAt }),
  cells: ({ userId, tenantId, submission }) => [userId, tenantId, submission],
  record: ({ userId, tenantId, submission, status, submittedAt }) => ({
    userId,
    tenantId,
    submission,
    status,
    submittedAt: submittedAt.toISOString(),
  }),
});
