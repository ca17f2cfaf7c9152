import { reconcilable } from '../../process/overdue';
import { processOfRecord } from '../../process/workflow-command';
import { overdueCards } from './store';
import { overdueTokenizations } from './tokenization-store';

/** Workflows of a card. The command that starts each commits in one transaction with the card's record. */

export const issuance = processOfRecord({
  workflow: 'cardIssuance',
  prefix: 'card-issuance-',
  summary: 'Card issuance',
});

export const closure = processOfRecord({
  workflow: 'cardClosure',
  prefix: 'card-closure-',
  summary: 'Card closure at the processor',
});

export const tokenization = processOfRecord({
  workflow: 'cardTokenization',
  prefix: 'card-tokenization-',
  summary: 'Card tokenization',
});

export const startIssuance = issuance.start;
export const startClosure = closure.start;
export const startTokenization = tokenization.start;

/** Restarts the workflow of each card that waits for the processor, because Temporal may have lost it. */
export const cardProcesses = reconcilable({
  name: 'cards',
  processes: [issuance, closure],
  overdue: overdueCards,
  drive: (card) => (card.status === 'pending' ? startIssuance(card) : startClosure(card)),
});

/** Restarts the workflow of each overdue tokenization, because Temporal may have lost it. */
export const tokenizationProcesses = reconcilable({
  name: 'card tokenizations',
  processes: [tokenization],
  overdue: overdueTokenizations,
  drive: startTokenization,
});
