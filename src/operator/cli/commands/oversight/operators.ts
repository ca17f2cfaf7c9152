import type { Command } from 'commander';
import { show } from '../../../../desk/cli/console';
import { giveCodeGenerator } from '../../../../desk/operators/code-generator';
import {
  APPLICANT,
  addFirstOperator,
  addOperator,
  admitOperator,
  disableOperator,
  hasOperators,
  INSTALLATION,
  isAdmitted,
  listOperators,
  lockOperators,
  type Operator,
  type OperatorCredential,
} from '../../../../desk/operators/operations';
import type { Tx } from '../../../../kernel/db/database';
import type { Session } from '../../../session';
import { reasonArgument, textArgument } from '../../arguments';
import type { CommandContext } from '../../context';
import { addListing } from '../../listing';

/** Commands for operators, the people who decide (decisions part 2). Each has a secret. */
export function addOperatorCommands(program: Command, context: CommandContext): void {
  const group = program.command('operator').description('the people who decide, each with a secret');
  addAdd(group, context);
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

function addAdd(group: Command, { console, run }: CommandContext): void {
  group
    .command('add')
    .description(
      'you, as a new operator: your secret is shown this once, to you alone. You decide once you have been admitted',
    )
    .requiredOption('--name <name>', 'as decisions and the audit log name him; for ever', textArgument(100))
    .option('--code-generator', 'with a generator of one-time codes; always in live')
    .option('--json', 'print { "operatorId", "name", "operatorSecret", "codeGenerator" }')
    .action(
      ({ name, codeGenerator = false, json }: { name: string; codeGenerator?: boolean; json?: boolean }) =>
        run(async (session) => {
          const made = await added(session, name, codeGenerator || !session.sandbox);
          show(console, json, made, credentialText(made));
        }),
    );
}

/** @param withCodes whether the operator signs in with one-time codes */
async function added(session: Session, name: string, withCodes: boolean): Promise<Added> {
  const { database, keyring } = session;
  const entry = ({ operatorId: subject }: OperatorCredential) => ({
    action: 'operator.add',
    subject,
    after: { name },
  });
  const add = async (tx: Tx, adding: Promise<OperatorCredential>): Promise<Added> => {
    const made = await adding;
    if (!withCodes) return made;
    return { ...made, codeGenerator: await giveCodeGenerator(tx, keyring, { id: made.operatorId, name }) };
  };
  if (!(await hasOperators(database)))
    return session.enrol(INSTALLATION, (tx) => add(tx, addFirstOperator(tx, keyring, name)), entry);
  const createdBy = session.knownActor ?? APPLICANT;
  return session.enrol(createdBy, (tx) => add(tx, addOperator(tx, keyring, { name, createdBy })), entry);
}

interface Added extends OperatorCredential {
  /** Address of the code generator, for an app. Shown only once. */
  codeGenerator?: string;
}

const credentialText = ({ operatorId, name, operatorSecret, codeGenerator }: Added): string =>
  `${operatorId} is ${name}. The secret, shown this once, for OPERATOR_SECRET:\n${operatorSecret}\n` +
  (codeGenerator ? `The code generator, shown this once, for an app:\n${codeGenerator}\n` : '') +
  `But for the first one, an operator decides once those who do have said "operator admit ${operatorId}": tell them this id yourself.`;

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
