import { type Command, InvalidArgumentError } from 'commander';
import { show } from '../../desk/cli/console';
import {
  APPLICANT,
  addFirstOperator,
  addOperator,
  hasOperators,
  INSTALLATION,
  type OperatorCredential,
} from '../../desk/operators/operations';
import type { Tx } from '../../kernel/db/database';
import type { InstallationSession } from '../session';
import type { CommandContext } from './context';

/** Adds an operator. The first one decides at once, and all others once operators have admitted them. */
export function addOperatorCommands(program: Command, { console, run }: CommandContext): void {
  const group = program.command('operator').description('the people who decide, each with a secret');
  group
    .command('add')
    .description(
      'you, as a new operator: your secret is shown this once, to you alone. You decide once you have been admitted',
    )
    .requiredOption('--name <name>', 'as decisions and the audit log name him; for ever', nameArgument)
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

const MAX_NAME = 100;

function nameArgument(given: string): string {
  const name = given.trim();
  if (name.length === 0 || name.length > MAX_NAME)
    throw new InvalidArgumentError(`1 to ${MAX_NAME} characters.`);
  return name;
}

/** @param withCodes whether the operator signs in with one-time codes */
async function added(
  { database, keyring, knownActor, change }: InstallationSession,
  name: string,
  withCodes: boolean,
): Promise<OperatorCredential> {
  const isFirst = !(await hasOperators(database));
  const createdBy = isFirst ? INSTALLATION : (knownActor ?? APPLICANT);
  const add = (tx: Tx): Promise<OperatorCredential> =>
    isFirst
      ? addFirstOperator(tx, keyring, { name, withCodes })
      : addOperator(tx, keyring, { name, createdBy, withCodes });
  return change(createdBy, add, ({ operatorId }) => ({
    action: 'operator.add',
    subject: operatorId,
    after: { name },
  }));
}

const credentialText = ({ operatorId, name, operatorSecret, codeGenerator }: OperatorCredential): string =>
  `${operatorId} is ${name}. The secret, shown this once, for OPERATOR_SECRET:\n${operatorSecret}\n` +
  (codeGenerator ? `The code generator, shown this once, for an app:\n${codeGenerator}\n` : '') +
  `But for the first one, an operator decides once those who do have said "operator admit ${operatorId}": tell them this id yourself.`;
