import { type Command, InvalidArgumentError } from 'commander';
import { reveal } from '../../../desk/reveal';
import { MAX_LINES, tell } from '../../../desk/story/tell';
import { invalid } from '../../../kernel/errors';
import type { Session } from '../../session';
import { countArgument, reasonArgument } from '../arguments';
import { show } from '../console';
import type { CommandContext } from '../context';
import { storyText } from './story-text';

interface ShowOptions {
  limit: number;
  reveal?: boolean;
  reason?: string;
  json?: boolean;
}

const LINES = 50;

/** Command that shows the story of any id: its record, its history, and what waits for whom. */
export function addShowCommand(program: Command, { console, run }: CommandContext): void {
  program
    .command('show <id>')
    .description('the whole story of any id: record, words, decisions, entries, webhooks, breaks, audit log')
    .option('--limit <lines>', `of each list, the newest; at most ${MAX_LINES}`, linesArgument, LINES)
    .option('--reveal', 'with what is masked: a beneficiary, an applicant; takes a --reason')
    .option('--reason <text>', 'why it is revealed: kept in the audit log', reasonArgument)
    .option('--json', 'print all of it as JSON')
    .action((id: string, { limit, reveal: wanted, reason, json }: ShowOptions) => {
      if (wanted && reason === undefined) throw invalid('What is revealed takes a --reason.', 'reason');
      return run(async (session) => {
        const revealed = wanted ? await revealedTo(session, id, reason) : undefined;
        const told = await tell(session, id, limit);
        const link = told.workflowId === undefined ? null : session.workflowUrl(told.workflowId);
        const story = { ...told, ...(link ? { workflowUrl: link } : {}), ...(revealed ? { revealed } : {}) };
        show(console, json, story, storyText(story, session.now()));
      });
    });
}

function linesArgument(text: string): number {
  const limit = countArgument(text);
  if (limit > MAX_LINES) throw new InvalidArgumentError(`At most ${MAX_LINES}.`);
  return limit;
}

/**
 * Commits who sees the data, and why, before it is shown. The audit log keeps the names of the fields without their
 * values.
 */
async function revealedTo(session: Session, id: string, reason: string | undefined): Promise<object> {
  const { data } = await session.change(
    (tx) => reveal(tx, session.keyring, id),
    ({ action, tenantId, data: seen }) => ({
      action,
      subject: id,
      tenantId,
      after: { reason, fields: Object.keys(seen) },
    }),
  );
  return data;
}
