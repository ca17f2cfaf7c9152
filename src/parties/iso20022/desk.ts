import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import { nameForLog } from '../protocol/names';
import { shownName } from './names';
import { type FileLine, listFiles } from './store/files';

const columns = columnsOf<FileLine>();

/**
 * The desk of files that were exchanged with a bank. A row shows names and codes alone; the folder keeps the files. A
 * file has no record of its own, because its orders and payments have.
 */
export const bankFilesDesk = ({ database }: { database: Sql }): Desk =>
  defineDesk({
    name: 'bank-files',
    title: 'Files that were exchanged with a bank',
    lists: [
      list({
        name: 'bank-files',
        title: 'files of the bank and of ours, the newest first',
        permission: 'money',
        filters: z.object({
          direction: z.enum(['out', 'in']).optional().meta({ description: 'out: ours. in: of the bank.' }),
          result: z.enum(['made', 'staged', 'placed', 'booked', 'refused']).optional().meta({
            description:
              'out: made, staged under a temporary name, placed for the tool. in: booked, or refused with nothing booked.',
          }),
        }),
        columns: {
          number: columns.text('number', ({ id }) => id),
          direction: columns.text('direction', ({ direction }) => direction),
          kind: columns.text('kind', ({ kind }) => kind || null),
          messageId: columns.text('message id', ({ messageId }) => messageId && nameForLog(messageId)),
          file: columns.text('file', ({ name }) => shownName(name)),
          result: columns.status('result', ({ result }) => result),
          reason: columns.text('reason', ({ reason }) => reason),
          orders: columns.text('orders', ({ direction, transactions }) =>
            direction === 'out' ? transactions : null,
          ),
          repeats: columns.text('came again', ({ repeats }) => repeats),
          at: columns.time('at', ({ createdAt }) => createdAt),
          // A camt.029 of ours is an answer itself, and has none.
          answeredAt: columns.time('answered', ({ answeredAt }) => answeredAt),
          givenUpAt: columns.time('given up', ({ givenUpAt }) => givenUpAt),
          since: columns.since('age', ({ createdAt }) => createdAt),
        },
        rows: ({ filters, after, limit }) => listFiles(database, { ...filters, below: after?.id, limit }),
        place: ({ id, createdAt }) => ({ since: createdAt, id: String(id) }),
      }),
    ],
  });
