import { z } from 'zod';
import { ACCOUNT_SUBTYPES, TRANSACTION_TYPES } from '../../kernel/ledger/effects';
import { formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import type { Statement, StatementLine, StatementTotal } from './record';

export const remitterSchema = z
  .object({ name: z.string(), iban: z.string().optional() })
  .meta({ id: 'Remitter' });

const subtype = () =>
  z.string().optional().meta({ enum: ACCOUNT_SUBTYPES, description: 'Absent for the events of a card.' });

const line = z
  .object({
    id: z.string(),
    timestamp: instant(),
    type: z.string().meta({ enum: TRANSACTION_TYPES, examples: ['transfer'] }),
    subtype: subtype(),
    referenceId: z.string(),
    linkedId: z.string().optional().meta({
      description: 'For a further movement of a record: the `referenceId` of the movement that it follows.',
    }),
    remitter: remitterSchema
      .optional()
      .describe('The payer of a credit to a virtual IBAN, as the bank tells.'),
    amount: money().describe('Never negative, as in the history.'),
    change: money().describe('The change of the balance.'),
    balance: money().describe('The balance after the line.'),
  })
  .meta({ id: 'StatementLine' });

const total = z
  .object({
    type: z.string().meta({ enum: TRANSACTION_TYPES }),
    subtype: subtype(),
    count: z.int().describe('Number of lines.'),
    change: money(),
  })
  .meta({ id: 'StatementTotal' });

const head = z.object({
  accountId: z.string(),
  currency: z.string(),
  from: instant(),
  to: instant(),
  complete: z.boolean().describe('True when the period has ended, so that no line can be added.'),
  openingBalance: money(),
  closingBalance: money(),
});

export const statementSchema = head
  .extend({
    lines: z.array(line).describe('Oldest first.'),
    totals: z.array(total).describe('The sums of the lines by type.'),
  })
  .meta({ id: 'Statement' });

export const headView = (statement: Statement) =>
  shown(head, statement, {
    openingBalance: formatAmount(statement.opening, statement.currency),
    closingBalance: formatAmount(statement.closing, statement.currency),
  });

export const lineView = (given: StatementLine, currency: string) =>
  shown(line, given, {
    timestamp: given.at,
    linkedId: given.linkedId ?? null,
    remitter: given.remitter ?? null,
    amount: formatAmount(given.amount, currency),
    change: formatAmount(given.change, currency),
    balance: formatAmount(given.balance, currency),
  });

export const totalView = (given: StatementTotal, currency: string) =>
  shown(total, given, { change: formatAmount(given.change, currency) });
