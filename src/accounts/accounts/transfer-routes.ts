import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { formatAmount } from '../../kernel/money/money';
import { amount, identifier, instant, money, text } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { type Transferred, transfer } from './internal-transfer';
import { accountTransactionSchema, accountTransactionView } from './view';

const transferSchema = z
  .object({
    id: z.string(),
    referenceId: z.string(),
    fromAccountId: z.string(),
    toAccountId: z.string(),
    amount: money(),
    currency: z.string(),
    description: z.string().optional().describe('Your text of the transfer.'),
    transactions: z.array(accountTransactionSchema),
    createdAt: instant(),
  })
  .meta({ id: 'Transfer' });

/** Route of `POST /v1/users/transfer` (`interface.md 4.1`, Users). */
export function transferRoute(): Route {
  return route({
    method: 'POST',
    path: '/v1/users/transfer',
    scope: 'money',
    tag: 'Users',
    permission: 'money',
    capability: 'transfer',
    summary: 'Transfer between two accounts',
    description:
      'Moves money between two accounts of one currency, as two account transactions with one `referenceId`.',
    body: z.strictObject({
      fromAccountId: identifier('acc_01h455vb4pex5vsknk084sn02q'),
      toAccountId: identifier('acc_01h455vb4pex5vsknk084sn02r'),
      amount: amount(),
      description: text(500).optional().describe('Your text of the transfer.'),
    }),
    response: transferSchema,
    status: 201,
    problems: ['insufficient_funds', 'account_closed', 'user_blocked'],
    async write(tx, { caller, body, requestId, idempotencyKey }) {
      const done = await transfer(tx, caller.reach, body, idempotencyKey);
      const record = transferView(done);
      const { referenceId, fromAccountId, toAccountId, amount: moved, currency } = record;
      await auditAdmin(tx, {
        caller,
        requestId,
        action: 'users.transfer',
        subject: referenceId,
        tenantId: done.transfer.tenantId,
        after: { fromAccountId, toAccountId, amount: moved, currency },
      });
      return record;
    },
  });
}

const transferView = ({ transfer: done, entries }: Transferred) =>
  shown(transferSchema, done, {
    id: done.referenceId,
    amount: formatAmount(done.amount, done.currency),
    transactions: entries.map((entry) => accountTransactionView(entry, done.currency)),
  });
