import { type Command, InvalidArgumentError } from 'commander';
import { formatAmount } from '../../../kernel/money/money';
import { listBreaks, resolveBreak } from '../../../process/breaks/operations';
import { breakView } from '../../../process/breaks/view';
import { show, table } from '../console';
import type { Operator } from '../context';

const LISTED = 200;
const LONGEST_NOTE = 500;

export function addBreakCommands(program: Command, operator: Operator): void {
  const group = program.command('breaks').description('money and messages that fit no record');
  addList(group, operator);
  addResolve(group, operator);
}

function addList(group: Command, { console, run }: Operator): void {
  group
    .command('list')
    .description(`those that nobody has resolved, the oldest first; at most ${LISTED}`)
    .option('--all', 'the resolved ones too')
    .option('--json', 'print a JSON array')
    .action(({ all = false, json }: { all?: boolean; json?: boolean }) =>
      run(async ({ database }) => {
        const found = await listBreaks(database, all, LISTED);
        const rows = found.map(({ id, kind, subject, detail, amount, currency, createdAt, resolvedBy }) => [
          ...[id, kind, subject, detail],
          amount && currency ? `${formatAmount(amount, currency)} ${currency}` : null,
          ...[createdAt.toISOString(), resolvedBy],
        ]);
        const columns = ['id', 'kind', 'subject', 'detail', 'amount', 'since', 'resolved by'];
        show(console, json, found.map(breakView), table(columns, rows));
      }),
    );
}

function addResolve(group: Command, { console, run }: Operator): void {
  group
    .command('resolve <id>')
    .description('says what became of it; money is moved by other commands')
    .requiredOption('--note <text>', 'what was found and done', checkedNote)
    .option('--json', 'print the break as JSON')
    .action((id: string, { note, json }: { note: string; json?: boolean }) =>
      run(async (session) => {
        const resolved = await session.change(
          (tx) => resolveBreak(tx, { id, note, resolvedBy: session.actor, at: session.now() }),
          ({ tenantId, kind, subject }) => ({
            action: 'breaks.resolve',
            subject: id,
            tenantId,
            after: { kind, subject, note },
          }),
        );
        show(console, json, breakView(resolved), `${id} is resolved.`);
      }),
    );
}

function checkedNote(text: string): string {
  const note = text.trim();
  if (note.length === 0 || note.length > LONGEST_NOTE)
    throw new InvalidArgumentError(`1 to ${LONGEST_NOTE} characters.`);
  return note;
}
