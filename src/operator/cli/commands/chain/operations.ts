import type { Command } from 'commander';
import type { DecisionName } from '../../../approvals/kinds';
import { decideOrAsk } from '../../../approvals/operations';
import { reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { tellOutcome } from '../oversight/approvals';

/** What each word of a person comes with. */
export interface Given {
  reason: string;
  json?: boolean;
}

/** Sweeps and top-ups on chains that no node is asked about, by the word of who has executed them. */
export function addGasOperationCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('gas-operation')
    .description('sweeps and top-ups on chains that no node is asked about (TRON)');
  addConfirm(group, context);
  addTakeBack(group, context);
}

function addConfirm(group: Command, context: CommandContext): void {
  group
    .command('confirm <operation>')
    .description(
      'it was executed as it was exported: it is booked; above the limit another operator must approve it',
    )
    .requiredOption('--hash <hash>', 'of its transaction')
    .requiredOption('--reason <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "id", "status" }, or { "approval" }')
    .action((id: string, { hash, ...given }: Given & { hash: string }) =>
      decided(context, 'gas-operation.confirm', { id, txHash: hash }, given),
    );
}

function addTakeBack(group: Command, context: CommandContext): void {
  group
    .command('take-back <operation>')
    .description('what was confirmed was wrong: what was booked is undone, and the operation has failed')
    .requiredOption('--reason <text>', 'what you have seen; kept with the decision', reasonArgument)
    .option('--json', 'print { "id", "status" }, or { "approval" }')
    .action((id: string, given: Given) => decided(context, 'gas-operation.take-back', { id }, given));
}

/** Done at once, or asked of another operator, and told. */
export const decided = (
  { console, run }: CommandContext,
  name: DecisionName,
  terms: object,
  { reason, json }: Given,
) =>
  run(async (session) => tellOutcome(console, json, await decideOrAsk(session, name, terms, reason), told));

/** @param value of a decision that was done at once */
function told(value: unknown) {
  const { id, status } = value as { id: string; status: string };
  return { value, text: `${id} is ${status}.` };
}
