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

/** Sends the present code of a challenge. */
export const startSending = sending.start;

/** The process is started again when Temporal has lost it. */
export const challengeProcesses = reconcilable({
  name: 'challenges',
  processes: [sending],
  overdue: overdueChallenges,
  drive: startSending,
});
