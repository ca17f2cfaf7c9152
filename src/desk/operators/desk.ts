import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { commonLists } from '../../process/desk/common-lists';
import { decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { PERMISSIONS, type Permission } from '../../process/desk/permissions';
import { record } from '../../process/desk/record';
import { type DeskDeps, type Story, storyOf } from '../../process/desk/story';
import { isAdmitted, listOperators, type Operator, permitOperator } from './operations';

const columns = columnsOf<Operator>();

/** The desk of operators. Operators are added and admitted by commands, which need no operator who is signed in. */
export function operatorDesk(deps: DeskDeps): Desk {
  const { database } = deps;
  return defineDesk({
    name: 'operator',
    title: 'The people who decide',
    lists: [
      list({
        name: 'operators',
        title: 'all operators, oldest first',
        filters: z.object({}),
        columns: {
          id: columns.id('id', ({ id }) => id),
          name: columns.text('name', ({ name }) => name),
          status: columns.status('status', statusOf),
          permissions: columns.text('permissions', ({ permissions }) => permissions.join(' ')),
          created: columns.time('created', ({ createdAt }) => createdAt),
        },
        // All of them are read, because an installation has few.
        async rows({ after, limit }) {
          const rest = (await sorted(database)).filter((each) => !after || isAfter(each, after));
          return rest.slice(0, limit);
        },
        place: ({ id, createdAt }) => ({ id, since: createdAt }),
      }),
    ],
    records: [
      record({
        kind: 'operator',
        title: 'An operator',
        story: (id, limit) => storyOfOperator(deps, id, limit),
      }),
    ],
    decisions: [
      decision<Operator, { permissions: Permission[] }>({
        name: 'operator.permit',
        title: 'gives an operator these permissions, and takes all others away',
        permission: 'security',
        subject: operators,
        input: z.strictObject({
          permissions: z
            .array(z.enum(PERMISSIONS))
            .max(PERMISSIONS.length)
            .meta({ description: `Of ${PERMISSIONS.join(', ')}.` }),
        }),
        takesTwo: { underDualControl: () => true },
        restsOn: (operator) => ({
          status: statusOf(operator),
          permissions: operator.permissions.join(' '),
        }),
        async preview(_, { subject, input }) {
          assertActive(subject);
          const [from, to] = [subject.permissions, input.permissions].map((each) => each.join(' ') || null);
          return [{ field: 'permissions', from: from ?? null, to: to ?? null }];
        },
        async execute(tx, { subject, input: { permissions } }) {
          assertActive(subject);
          const { id, name } = await permitOperator(tx, subject.id, permissions);
          return {
            before: { permissions: subject.permissions },
            after: { permissions },
            result: { operatorId: id, name, permissions },
          };
        },
      }),
    ],
  });
}

const operators: SubjectSpec<Operator> = {
  noun: 'operator',
  kinds: ['operator'],
  read: (sql, id) => findOperatorById(sql, id),
  lock: (tx, id) => findOperatorById(tx, id),
  tenantOf: () => null,
};

const findOperatorById = async (sql: Sql, id: string): Promise<Operator | undefined> =>
  (await listOperators(sql)).find((each) => each.id === id);

/** @throws Problem 409 */
function assertActive({ name, disabledAt }: Operator): void {
  if (disabledAt !== null) throw conflict('invalid_transition', `${name} has been disabled.`);
}

function statusOf(operator: Operator): string {
  if (operator.disabledAt !== null) return 'disabled';
  return isAdmitted(operator) ? 'admitted' : 'waits for admission';
}

const sorted = async (sql: Sql): Promise<Operator[]> =>
  (await listOperators(sql)).sort((one, other) =>
    isAfter(one, { ...other, since: other.createdAt }) ? 1 : -1,
  );

const isAfter = ({ id, createdAt }: Operator, place: { since: Date; id: string }): boolean =>
  createdAt.getTime() - place.since.getTime() > 0 ||
  (createdAt.getTime() === place.since.getTime() && id > place.id);

async function storyOfOperator(
  { database }: DeskDeps,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const found = await findOperatorById(database, id);
  if (!found) return undefined;
  const { admittedAt, createdAt, disabledAt } = found;
  return storyOf(
    id,
    {
      what: 'operator',
      tenantId: null,
      status: statusOf(found),
      since: (disabledAt ?? admittedAt ?? createdAt).toISOString(),
      record: found,
    },
    await commonLists(database, { id }, limit),
    limit,
  );
}
