import type { WorkflowCommand } from '../../kernel/outbox/commands';
import { QUEUES } from '../../kernel/outbox/queues';
import type { Reconcilable } from '../../kernel/temporal/reconciler';
import { unfinishedCards } from './store';
import { unfinishedTokenizations } from './tokenization-store';

/** The processes of a card, each started by a command that commits with its record. */
const PROCESSES = {
  cardIssuance: { id: 'card-issuance-', summary: 'Card issuance' },
  cardClosure: { id: 'card-closure-', summary: 'Card closure at the processor' },
  cardTokenization: { id: 'card-tokenization-', summary: 'Card tokenization' },
} as const;

type Named = { id: string; tenantId: string };

export const startIssuance = (card: Named) => start('cardIssuance', card);
export const startClosure = (card: Named) => start('cardClosure', card);
export const startTokenization = (tokenization: Named) => start('cardTokenization', tokenization);

function start(workflow: keyof typeof PROCESSES, { id, tenantId }: Named): WorkflowCommand {
  const { id: prefix, summary } = PROCESSES[workflow];
  const workflowId = prefix + id;
  return {
    workflow,
    workflowId,
    taskQueue: QUEUES.processes,
    action: 'start',
    args: [id],
    tenantId,
    summary,
  };
}

/** The records that these workflows drive. */
function recordsOf(workflowIds: string[]): string[] {
  return workflowIds.flatMap((workflowId) => {
    const process = Object.values(PROCESSES).find(({ id }) => workflowId.startsWith(id));
    return process ? [workflowId.slice(process.id.length)] : [];
  });
}

/** Cards that wait for the processor: their process is started again when Temporal has lost it. */
export const cardProcesses: Reconcilable = {
  name: 'cards',
  async stale(sql, olderThan, limit, except) {
    const cards = await unfinishedCards(sql, olderThan, limit, recordsOf(except));
    return cards.map((card) => (card.status === 'pending' ? startIssuance(card) : startClosure(card)));
  },
};

/** The same for wallets' requests. */
export const tokenizationProcesses: Reconcilable = {
  name: 'card tokenizations',
  async stale(sql, olderThan, limit, except) {
    const waiting = await unfinishedTokenizations(sql, olderThan, limit, recordsOf(except));
    return waiting.map(startTokenization);
  },
};
