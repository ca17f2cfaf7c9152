import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { PERMISSIONS, type Permission } from '../../kernel/permissions';
import { type Decision, decision, type Judged } from '../../process/desk/decision';
import {
  admitOperator,
  disableOperator,
  isAdmitted,
  judgeAdmission,
  judgeDisabling,
  judgePermissions,
  type Operator,
  permitOperator,
} from './operations';
import { operatorById, operatorByName, statusOf } from './subject';

export const permissionsInput = z
  .array(z.enum(PERMISSIONS))
  .max(PERMISSIONS.length)
  .meta({ description: `Of ${PERMISSIONS.join(', ')}.` });

export const permissionsText = (permissions: readonly Permission[]): string | null =>
  permissions.join(' ') || null;

/** Decisions about operators and their permissions. */
export const operatorDecisions: readonly Decision[] = [
  decision<Operator, { permissions: Permission[] }>({
    name: 'operator.permit',
    title: 'gives an operator these permissions, and takes all others away',
    permission: 'security',
    subject: operatorById,
    input: z.strictObject({ permissions: permissionsInput }),
    takesTwo: { underDualControl: () => true },
    restsOn: (operator) => ({ status: statusOf(operator), permissions: operator.permissions.join(' ') }),
    async preview(tx, { subject, input: { permissions } }) {
      await judgePermissions(tx, subject, permissions);
      const [from, to] = [permissionsText(subject.permissions), permissionsText(permissions)];
      return [{ field: 'permissions', from, to }];
    },
    async execute(tx, { subject, input: { permissions } }, { decidedBy: by }) {
      const { id, name } = await permitOperator(tx, subject, { permissions, by });
      return {
        before: { permissions: subject.permissions },
        after: { permissions },
        result: { operatorId: id, name, permissions },
      };
    },
  }),
  decision<Operator>({
    name: 'operator.admit',
    title:
      'lets a new operator decide, by the id that he tells you himself; it takes two where there are two',
    permission: 'security',
    reason: 'optional',
    subject: operatorById,
    restsOn: (operator) => ({
      status: statusOf(operator),
      admittedFirstBy: operator.proposedBy,
      permissions: operator.permissions.join(' '),
    }),
    async preview(tx, { subject, actor: by, at }) {
      const admitted = { ...subject, ...(await judgeAdmission(tx, subject, { by, at })) };
      return [
        { field: 'status', from: statusOf(subject), to: statusOf(admitted) },
        { field: 'admitted by', from: admittersOf(subject), to: admittersOf(admitted) },
        { field: 'permissions', from: null, to: permissionsText(subject.permissions) },
      ];
    },
    async execute(tx, { id, actor: by, at }) {
      const operator = await admitOperator(tx, { id, by, at });
      const { name, proposedBy, admittedBy } = operator;
      const status = isAdmitted(operator) ? 'admitted' : 'admitted by one operator, and waits for another';
      return {
        after: { name, proposedBy, admittedBy },
        result: { operatorId: id, name, status, proposedBy, admittedBy },
      };
    },
  }),
  decision<Operator>({
    name: 'operator.disable',
    title: 'shuts an operator out at once and for ever, by id or name',
    permission: 'security',
    subject: operatorByName,
    restsOn: (operator) => ({ status: statusOf(operator) }),
    preview: (tx, judged) => previewDisabling(tx, judged),
    async execute(tx, { id, at }, { decidedBy: by, reason }) {
      const { name } = await disableOperator(tx, { id, reason: reason ?? '', by, at });
      return { after: { name }, result: { operatorId: id, name, status: 'disabled' } };
    },
  }),
];

async function previewDisabling(sql: Sql, { subject }: Judged<Operator, object>) {
  await judgeDisabling(sql, subject);
  return [{ field: 'status', from: statusOf(subject), to: 'disabled' }];
}

/** Operators who have admitted an operator so far. */
export const admittersOf = ({ proposedBy, admittedBy }: Operator): string | null =>
  [proposedBy, admittedBy].filter((each) => each !== null).join(' and ') || null;
