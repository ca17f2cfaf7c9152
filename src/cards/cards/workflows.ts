import { reconcilable } from '../../process/overdue';
import { processOfRecord } from '../../process/workflow-command';
import { overdueCards } from './store';
import { overdueTokenizations } from './tokenization-store';

/** The processes of a card, each started by a command that commits with its record. */

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

/** Cards that wait for the processor: their process is started again when Temporal has lost it. */
export const cardProcesses = reconcilable({
  name: 'cards',
  processes: [issuance, closure],
  overdue: overdueCards,
  drive: (card) => (card.status === 'pending' ? startIssuance(card) : startClosure(card)),
});

/** The same for wallets' requests. */
export const tokenizationProcesses = reconcilable({
  name: 'card tokenizations',
  processes: [tokenization],
  overdue: overdueTokenizations,
  drive: startTokenization,
});
