import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { alreadyExists, conflict, forbidden } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import type { Permission } from '../../kernel/permissions';
import type { Keyring } from '../../kernel/security/keyring';
import { text } from '../../kernel/wire/schemas';
import { type Decision, decision, installation } from '../../process/desk/decision';
import { permissionsInput, permissionsText } from './decisions';
import { insertLink, LINK_MS, newLinkToken } from './links';
import { actorOf, anotherHandDecides, findOperator, lockOperators, type Operator } from './operations';
import { operatorByName, statusOf } from './subject';

interface LinkDeps {
  keyring: Keyring;
  /** The machine's time, which the sandbox's clock does not move. */
  clock(): Date;
}

interface Invited {
  name: string;
  permissions: Permission[];
}

const HOURS = LINK_MS / 3_600_000;

/** Decisions that give out a one-time link, by which an operator sets what he signs in by. */
export const linkDecisions = (deps: LinkDeps): Decision[] => [invite(deps), resetCode(deps)];

const invite = ({ keyring, clock }: LinkDeps): Decision =>
  decision<object, Invited>({
    name: 'operator.invite',
    title: `invites a new operator by a one-time link of ${HOURS} hours; another operator admits him`,
    permission: 'security',
    reason: 'optional',
    subject: { ...installation, lockFirst: (tx) => lockOperators(tx) },
    input: z.strictObject({
      name: text(100)
        .trim()
        .min(1)
        .meta({ description: 'As decisions and the audit log name him, for ever.' }),
      permissions: permissionsInput,
    }),
    restsOn: () => ({}),
    secret: async () => newLinkToken(keyring),
    async preview(tx, { input, actor }) {
      await judgeInvitation(tx, input, actor);
      return [
        { field: 'invitation', from: null, to: `${input.name}, for ${HOURS} hours` },
        { field: 'permissions once admitted', from: null, to: permissionsText(input.permissions) },
      ];
    },
    async execute(tx, { input, secret }, { decidedBy }) {
      await judgeInvitation(tx, input, decidedBy);
      const operatorId = newId('operator');
      const given = { ...input, operatorId, purpose: 'invitation', createdBy: decidedBy } as const;
      const expiresAt = await insertLink(tx, keyring, { ...given, secret, at: clock() });
      return {
        about: { id: operatorId, tenantId: null },
        after: { ...input, expiresAt: expiresAt.toISOString() },
        result: { operatorId, name: input.name, expiresAt: expiresAt.toISOString() },
      };
    },
  });

/** @throws Problem 400 naming `name`; 409 where nobody could admit the new operator */
async function judgeInvitation(sql: Sql, { name }: Invited, by: string): Promise<void> {
  if (await findOperator(sql, { name })) throw alreadyExists('An operator has or had this name.', 'name');
  if (!(await anotherHandDecides(sql, by)))
    throw conflict('invalid_transition', 'Nobody else decides who could admit the new operator.');
}

const resetCode = ({ keyring, clock }: LinkDeps): Decision =>
  decision<Operator>({
    name: 'operator.reset-code',
    title: `gives a one-time link of ${HOURS} hours to an operator who has lost his code generator`,
    permission: 'security',
    subject: operatorByName,
    takesTwo: 'always',
    restsOn: (operator) => ({ status: statusOf(operator) }),
    secret: async () => newLinkToken(keyring),
    async preview(_, { subject, actor }) {
      judgeReset(subject, actor);
      return [{ field: 'code generator', from: 'the present one', to: `a new one, within ${HOURS} hours` }];
    },
    async execute(tx, { subject, secret }, { decidedBy }) {
      judgeReset(subject, decidedBy);
      const { id: operatorId, name, permissions } = subject;
      const given = {
        operatorId,
        name,
        permissions,
        purpose: 'code_generator',
        createdBy: decidedBy,
      } as const;
      const expiresAt = await insertLink(tx, keyring, { ...given, secret, at: clock() });
      const shown = { name, expiresAt: expiresAt.toISOString() };
      return { after: shown, result: { operatorId, ...shown } };
    },
  });

/** @throws Problem 403 for the operator himself; 409 for one who is disabled */
function judgeReset(operator: Operator, by: string): void {
  if (actorOf(operator) === by) throw forbidden('Two other operators reset your code generator.');
  if (operator.disabledAt !== null)
    throw conflict('invalid_transition', `${operator.name} has been disabled.`);
}
