import type { Command } from 'commander';
import { show } from '../../../../desk/cli/console';
import { giveCodeGenerator } from '../../../../desk/operators/code-generator';
import {
  APPLICANT,
  addFirstOperator,
  addOperator,
  hasOperators,
  INSTALLATION,
  type OperatorCredential,
} from '../../../../desk/operators/operations';
import type { Tx } from '../../../../kernel/db/database';
import type { Session } from '../../../session';
import { textArgument } from '../../arguments';
import type { CommandContext } from '../../context';

/** Commands for operators, the people who decide (decisions part 2). Each has a secret. */
export function addOperatorCommands(program: Command, context: CommandContext): void {
  const group = program.command('operator').description('the people who decide, each with a secret');
  addAdd(group, context);
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
