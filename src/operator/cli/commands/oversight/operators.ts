import type { Command } from 'commander';
import {
  addFirstOperator,
  addOperator,
  disableOperator,
  hasOperators,
  listOperators,
  type Operator,
  type OperatorCredential,
} from '../../../operators/operations';
import type { Session } from '../../../session';
import { reasonArgument, textArgument } from '../../arguments';
import { show } from '../../console';
import type { CommandContext } from '../../context';
import { addListing } from '../../listing';

/** The people who decide (decisions part 2): each with a secret of his own. */
export function addOperatorCommands(program: Command, context: CommandContext): void {
  const group = program.command('operator').description('the people who decide, each with a secret');
  addAdd(group, context);
  addDisable(group, context);
  addListing(group, context, {
    description: 'all of them',
    load: ({ database }) => listOperators(database),
    columns: ['id', 'name', 'made by', 'since', 'disabled', 'by', 'why'],
    row: ({ id, name, createdBy, createdAt, disabledAt, disabledBy, disabledReason }) => [
      ...[id, name, createdBy, createdAt.toISOString()],
      ...[disabledAt?.toISOString(), disabledBy, disabledReason],
    ],
  });
}

function addAdd(group: Command, { console, run }: CommandContext): void {
  group
    .command('add')
    .description('a new operator; his secret is shown this once. The first one needs nobody’s')
    .requiredOption('--name <name>', 'as decisions and the audit log name him; for ever', textArgument(100))
    .option('--json', 'print { "operatorId", "name", "operatorSecret" }')
    .action(({ name, json }: { name: string; json?: boolean }) =>
      run(async (session) => {
        const made = await added(session, name);
        show(console, json, made, credentialText(made));
      }),
    );
}

async function added(session: Session, name: string): Promise<OperatorCredential> {
  const { database, keyring } = session;
  const entry = ({ operatorId: subject }: OperatorCredential) => ({
    ...{ action: 'operator.add', subject, after: { name } },
  });
  if (!(await hasOperators(database)))
    return session.install((tx) => addFirstOperator(tx, keyring, name), entry);
  return session.change((tx) => addOperator(tx, keyring, { name, createdBy: session.actor }), entry);
}

const credentialText = ({ operatorId, name, operatorSecret }: OperatorCredential): string =>
  `${operatorId} is ${name}. The secret, shown this once, for OPERATOR_SECRET:\n${operatorSecret}`;

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
        );
        show(console, json, operator, `${operator.name} is disabled.`);
      }),
    );
}
