import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { moment } from '../../kernel/wire/schemas';
import { FORMATS, statementFile, TYPES } from './file';
import { assertPeriod, requireStatedAccount } from './operations';
import type { StatementServices } from './services';
import { statementSchema } from './view';

const query = z.object({
  from: moment().describe('The period begins with this moment. A date means its midnight in UTC.'),
  to: moment().describe('The period ends before this moment, at most 366 days after `from`.'),
  format: z.enum(FORMATS).optional().describe('Default: by the header `Accept`, else `json`.'),
});

/** Statements of accounts (decisions part 4, Statements). */
export function statementRoutes(services: StatementServices): Route[] {
  const { database } = services;
  return [
    route({
      method: 'GET',
      path: '/v1/accounts/{id}/statement',
      tag: 'Accounts',
      summary: 'Statement of an account',
      description:
        'Opening balance, lines, totals by type and closing balance of a period, as JSON, CSV or PDF. A balance is available + ' +
        'pending. The opening balance and the changes of the lines sum to the closing balance. The closing balance is the opening ' +
        'balance of the next period. Accepts an account, a card, and the `accountId` of your virtual IBAN, whose lines name the remitter. ' +
        'A period of a card that begins before the last archive of the books is a 400. ' +
        'A PDF has at most 10,000 lines. In CSV, a text that a spreadsheet would evaluate has an apostrophe before it.',
      query,
      response: statementSchema,
      permission: 'money',
      produces: Object.values(TYPES),
      async read({ caller, params, query: { from, to, format }, requestId, accepted }) {
        const account = await requireStatedAccount(services, caller.reach, params['id'] ?? '');
        assertPeriod({ from, to });
        const { id: subject, tenantId } = account;
        await auditAdmin(database, { caller, requestId, action: 'accounts.statement', subject, tenantId });
        const wanted = format ?? FORMATS.find((each) => TYPES[each] === accepted) ?? 'json';
        const file = await statementFile(services, account, { from, to, format: wanted });
        return new Reply(200, file.content, {
          'content-type': file.contentType,
          ...(wanted === 'json' ? {} : { 'content-disposition': `attachment; filename="${file.fileName}"` }),
        });
      },
    }),
  ];
}
