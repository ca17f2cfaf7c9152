import { z } from 'zod';
import type { Permission } from '../../kernel/permissions';
import { moment } from '../../kernel/wire/schemas';
import { type Download, download } from '../../process/desk/record';
import { FORMATS, statementFile } from './file';
import { assertPeriod, requireStatedAccount } from './operations';
import type { StatementServices } from './services';

const PERIOD_MS = 31 * 86_400_000;

export type StatementDownloadServices = StatementServices & { now(): Date };

/**
 * How operators get the statement of an account.
 * @param noun of the command: `account` makes `account statement`
 * @param permission that of the most private data in it
 */
export const statementDownload = (
  services: StatementDownloadServices,
  noun: string,
  permission: Permission,
): Download =>
  download({
    name: `${noun}.statement`,
    title: 'writes the statement of a period to a file',
    permission,
    input: z.strictObject({
      from: moment()
        .optional()
        .meta({
          description: 'A moment or a date. Without it the period has 31 days.',
          examples: ['2026-03-01'],
        }),
      to: moment()
        .optional()
        .meta({ description: 'A moment or a date. Without it: now.', examples: ['2026-04-01'] }),
      format: z.enum(FORMATS).optional().meta({ description: 'Without it: pdf.' }),
    }),
    async read(id, { to = services.now(), from = new Date(to.getTime() - PERIOD_MS), format = 'pdf' }) {
      const account = await requireStatedAccount(services, null, id);
      assertPeriod({ from, to });
      const file = await statementFile(services, account, { from, to, format });
      const { tenantId } = account;
      return { action: `${noun}.statement`, tenantId, after: { from, to, format }, ...file };
    },
  });
