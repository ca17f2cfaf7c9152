import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { audit } from '../../kernel/audit/audit';
import type { PostedEntry } from '../../kernel/ledger/entries';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { amount, identifier, instant, money, text } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import type { Services } from '../../services';
import { correct, type Offramped, offrampDeposit } from './admin';
import { accountTransactionSchema, accountTransactionView } from './view';

const TAG = 'Accounts';
const ACCOUNT_ID = 'acc_01h455vb4pex5vsknk084sn02q';

const LIMITED =
  'Bookings by hand without a second operator have three limits per UTC day, in `BASE_CURRENCY` at the stored middle rate. ' +
  '`ADMIN_LIMIT` applies to a credential, `ADMIN_TENANT_LIMIT` to a tenant, `ADMIN_INSTALLATION_LIMIT` to the installation. ' +
  '`admin-deposit`, `admin-withdrawal` and `offramp-deposit` count, here and at the command line. A sum above its limit, or a currency without ' +
  'a fresh rate, is refused by 409 `limit_exceeded`. Two operators can book it at the command line.';

/** Routes by which an admin moves money by hand (`interface.md 4.1`; decisions part 4). */
export function adminAccountRoutes(services: Pick<Services, 'now'>): Route[] {
  return [
    correction(services, 'admin-deposit', 'deposit/admin_deposit', 'Correction credit to an account'),
    correction(services, 'admin-withdrawal', 'withdraw/admin_withdrawal', 'Write-off from an account'),
    offrampRoute(services),
  ];
}

function correction(
  { now }: Pick<Services, 'now'>,
  name: 'admin-deposit' | 'admin-withdrawal',
  kind: 'deposit/admin_deposit' | 'withdraw/admin_withdrawal',
  summary: string,
): Route {
  return route({
    method: 'POST',
    path: `/v1/accounts/${name}`,
    scope: 'money',
    tag: TAG,
    summary,
    description: LIMITED,
    role: 'admin',
    body: z.strictObject({
      accountId: identifier(ACCOUNT_ID),
      amount: amount(),
      reason: text(500).min(1),
    }),
    response: accountTransactionSchema,
    status: 201,
    problems: ['account_closed', 'limit_exceeded', 'insufficient_funds'],
    async write(tx, { caller, body, requestId, idempotencyKey }) {
      const given = { ...body, decider: { decidedBy: caller.tenantId, at: now() } };
      const { account, entry, limit } = await correct(tx, caller.reach, kind, given, idempotencyKey);
      const { before, after } = availableAround(entry, account.currency);
      await audit(tx, {
        caller,
        requestId,
        action: `accounts.${name}`,
        subject: account.id,
        tenantId: account.tenantId,
        before,
        after: { ...after, transactionId: entry.id, reason: body.reason, limit },
      });
      return accountTransactionView(entry, account.currency);
    },
  });
}

const offrampSchema = z
  .object({
    id: z.string(),
    referenceId: z.string(),
    reference: z.string().describe('Your reference of the off-ramp; unique within the tenant.'),
    accountId: z.string(),
    masterAccountId: z.string(),
    amount: money(),
    currency: z.string(),
    transactions: z.array(accountTransactionSchema),
    createdAt: instant(),
  })
  .meta({ id: 'OfframpDeposit' });

function offrampRoute({ now }: Pick<Services, 'now'>): Route {
  return route({
    method: 'POST',
    path: '/v1/accounts/offramp-deposit',
    scope: 'money',
    tag: TAG,
    summary: 'Credit an account from an off-ramp',
    description: `Credits the tenant's master account of that currency and transfers to the account, in one posting group. ${LIMITED}`,
    role: 'admin',
    body: z.strictObject({
      accountId: identifier(ACCOUNT_ID),
      amount: amount(),
      reference: text(200).min(1).describe('Your reference of the off-ramp; unique within the tenant.'),
    }),
    response: offrampSchema,
    status: 201,
    problems: ['ErrAlreadyExists', 'account_closed', 'user_blocked', 'limit_exceeded'],
    async write(tx, { caller, body, requestId, idempotencyKey }) {
      const given = { ...body, decider: { decidedBy: caller.tenantId, at: now() } };
      const done = await offrampDeposit(tx, caller.reach, given, idempotencyKey);
      const { account, entries, referenceId, limit } = done;
      const { before, after } = availableAround(lastOf(entries), account.currency);
      await audit(tx, {
        caller,
        requestId,
        action: 'accounts.offramp-deposit',
        subject: account.id,
        tenantId: account.tenantId,
        before,
        after: { ...after, referenceId, reference: body.reference, limit },
      });
      return offrampView(done, body);
    },
  });
}

function offrampView(
  { referenceId, account, master, entries }: Offramped,
  { amount: credited, reference }: { amount: Decimal; reference: string },
) {
  const { id: accountId, currency } = account;
  const given = { referenceId, reference, accountId, currency };
  return shown(offrampSchema, given, {
    id: referenceId,
    masterAccountId: master.id,
    amount: formatAmount(credited, currency),
    transactions: entries.map((entry) => accountTransactionView(entry, currency)),
    createdAt: lastOf(entries).at,
  });
}

const lastOf = (entries: PostedEntry[]) => entries.at(-1) as PostedEntry;

/** The available balance before and after an entry, for the audit log. */
function availableAround(entry: PostedEntry, currency: string) {
  const after = entry.balance?.available ?? entry.available;
  return {
    before: { available: formatAmount(after.minus(entry.available), currency) },
    after: { available: formatAmount(after, currency) },
  };
}
