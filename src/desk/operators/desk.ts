import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import type { Keyring } from '../../kernel/security/keyring';
import { commonLists } from '../../process/desk/common-lists';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type DeskDeps, type Story, storyOf } from '../../process/desk/story';
import { admittersOf, operatorDecisions } from './decisions';
import { linkDecisions } from './link-decisions';
import { mailDecision } from './mail-decision';
import { findOperator, isAdmitted, listOperators, type Operator } from './operations';
import { statusOf } from './subject';

const columns = columnsOf<Operator>();

export interface OperatorDeskDeps extends DeskDeps {
  keyring: Keyring;
  /** The machine's time, which the sandbox's clock does not move. */
  clock(): Date;
}

/** The desk of operators. The first one is added at installation, and a person may add himself there. */
export function operatorDesk(deps: OperatorDeskDeps): Desk {
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
          createdBy: columns.text('made by', ({ createdBy }) => createdBy),
          created: columns.time('since', ({ createdAt }) => createdAt),
          status: columns.status('status', statusOf),
          admitted: columns.text('admitted', admittedText),
          permissions: columns.text('permissions', ({ permissions }) => permissions.join(' ')),
          disabled: columns.time('disabled', ({ disabledAt }) => disabledAt),
          disabledBy: columns.text('by', ({ disabledBy }) => disabledBy),
          reason: columns.text('why', ({ disabledReason }) => disabledReason),
        },
        // All of them are read, because an installation has few.
        async rows({ after, limit }) {
          const rest = (await sorted(database)).filter((each) => !after || isAfter(each, after));
          return rest.slice(0, limit);
        },
        place: ({ id, createdAt }) => ({ id, since: createdAt }),
      }),
      list({
        name: 'admissions',
        title: 'new operators who decide nothing before others admit them',
        filters: z.object({}),
        columns: {
          id: columns.id('id', ({ id }) => id),
          name: columns.text('name', ({ name }) => name),
          createdBy: columns.text('made by', ({ createdBy }) => createdBy),
          admitted: columns.text('admitted', admittedText),
          permissions: columns.text('permissions', ({ permissions }) => permissions.join(' ')),
          since: columns.since('since', ({ createdAt }) => createdAt),
        },
        async rows({ after, limit }) {
          const rest = (await sorted(database)).filter((each) => !after || isAfter(each, after));
          return rest.filter(waits).slice(0, limit);
        },
        place: ({ id, createdAt }) => ({ id, since: createdAt }),
        async waitsSince(sql, now) {
          const [oldest, ...others] = (await sorted(sql)).filter(waits);
          if (!oldest) return { count: 0, oldestSeconds: 0 };
          const oldestSeconds = Math.max(0, (now.getTime() - oldest.createdAt.getTime()) / 1000);
          return { count: 1 + others.length, oldestSeconds };
        },
        decisions: ['operator.admit'],
      }),
    ],
    records: [
      record({
        kind: 'operator',
        title: 'An operator',
        story: (id, limit) => storyOfOperator(deps, id, limit),
      }),
    ],
    decisions: [...operatorDecisions, ...linkDecisions(deps), mailDecision(deps)],
  });
}

/** Whether an operator waits for admission. */
const waits = (operator: Operator): boolean => !isAdmitted(operator) && operator.disabledAt === null;

function admittedText(operator: Operator): string {
  const by = admittersOf(operator);
  if (isAdmitted(operator)) return `by ${by ?? operator.createdBy}`;
  return by === null ? 'waits' : `waits, by ${by}`;
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
  const found = await findOperator(database, { id });
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
