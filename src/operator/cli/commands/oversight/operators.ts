import type { Command } from 'commander';
import { show } from '../../../../desk/cli/console';
import {
  admitOperator,
  disableOperator,
  isAdmitted,
  listOperators,
  lockOperators,
  type Operator,
} from '../../../../desk/operators/operations';
import { reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { addListing } from '../../listing';

/** Commands for operators, the people who decide (decisions part 2). Each has a secret. */
export function addOperatorCommands(program: Command, context: CommandContext): void {
  const group = program.command('operator').description('the people who decide, each with a secret');
  addAdmit(group, context);
  addDisable(group, context);
  addListing(group, context, {
    description: 'all of them',
    load: ({ database }) => listOperators(database),
    columns: ['id', 'name', 'made by', 'since', 'admitted', 'disabled', 'by', 'why'],
    row: (operator) => {
      const { id, name, createdBy, createdAt, disabledAt, disabledBy, disabledReason } = operator;
      return [
        ...[id, name, createdBy, createdAt.toISOString(), admittedText(operator)],
        ...[disabledAt?.toISOString(), disabledBy, disabledReason],
      ];
    },
  });
}

/** Operators who have admitted an operator so far. */
function admittedText(operator: Operator): string {
  const { proposedBy, admittedBy, createdBy } = operator;
  const by = [proposedBy, admittedBy].filter((each) => each !== null).join(' and ');
  return isAdmitted(operator) ? `by ${by || createdBy}` : `waits${by && `, by ${by}`}`;
}

function addAdmit(group: Command, { console, run }: CommandContext): void {
  group
    .command('admit <operator>')
    .description(
      'lets a new operator decide, by the id that he tells you himself; it takes two where there are two',
    )
    .option('--json', 'print the operator as JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      run(async (session) => {
        const given = { id, by: session.actor, at: session.now() };
        const operator = await session.change(
          (tx) => admitOperator(tx, given),
          ({ name, proposedBy, admittedBy }) => ({
            action: 'operator.admit',
            subject: id,
            after: { name, proposedBy, admittedBy },
          }),
          lockOperators,
        );
        const told = isAdmitted(operator) ? 'may decide.' : 'waits for another operator to admit him, too.';
        show(console, json, operator, `${operator.name} ${told}`);
      }),
    );
}

function addDisable(group: Command, { console, run }: CommandContext): void {
  group
    .command('disable <operator>')
    .description('shuts an operator out at once and for ever, by his id or name')
    .requiredOption('--reason <text>', 'kept with it', reasonArgument)
    .option('--json', 'print the operator as JSON')
    .action((named: string, { reason, json }: { reason: string; json?: boolean }) =>
      run(async (session) => {
        const given = { named, reason, at: session.now() };
        const operator: Operator = await session.change(
          (tx) => disableOperator(tx, { ...given, by: session.actor }),
          ({ id, name }) => ({ action: 'operator.disable', subject: id, after: { name, reason } }),
          lockOperators,
        );
        show(console, json, operator, `${operator.name} is disabled.`);
      }),
    );
}
