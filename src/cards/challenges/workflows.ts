import { reconcilable } from '../../process/overdue';
import { processOf } from '../../process/workflow-command';
import type { Challenge } from './record';
import { overdueChallenges } from './store';

const sending = processOf<Pick<Challenge, 'id' | 'tenantId' | 'codeNumber'>>({
  workflow: 'challengeCode',
  prefix: 'challenge-code-',
  summary: 'One-time code of a card payment',
  key: ({ id, codeNumber }) => [id, codeNumber],
});

/** Starts the workflow that mails the current code of a challenge. */
export const startSending = sending.start;

/** Restarts the workflow of each overdue challenge, because Temporal may have lost it. */
export const challengeProcesses = reconcilable({
  name: 'challenges',
  processes: [sending],
  overdue: overdueChallenges,
  drive: startSending,
});
