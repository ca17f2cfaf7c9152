import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { audit } from '../../kernel/audit/audit';
import { type Call, deciderOf } from '../../kernel/caller';
import type { Tx } from '../../kernel/db/database';
import type { PostedEntry } from '../../kernel/ledger/entries';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { amount, identifier, instant, money, text } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import type { DecisionSpec } from '../../process/desk/decision';
import { askedAboveLimit } from '../../process/desk/stored';
import type { Services } from '../../services';
import { correct, type Offramped, offrampDeposit } from './admin';
import { CORRECTIONS, OFFRAMP } from './decisions';
import { findAccount } from './operations';
import type { Account } from './record';
import { accountTransactionSchema, accountTransactionView } from './view';

const TAG = 'Accounts';
const ACCOUNT_ID = 'acc_01h455vb4pex5vsknk084sn02q';

const LIMITED =
  'Bookings by hand without a second operator have three limits per UTC day, in `BASE_CURRENCY` at the stored middle rate. ' +
  '`ADMIN_LIMIT` applies to a credential, `ADMIN_TENANT_LIMIT` to a tenant, `ADMIN_INSTALLATION_LIMIT` to the installation. ' +
  '`admin-deposit`, `admin-withdrawal` and `offramp-deposit` count, here and at the command line. A sum above its limit, or a currency without ' +
  'a fresh rate, takes two operators. The answer is then 202 with `approvalId` for the credential of an operator, and 409 ' +
  '`limit_exceeded` for a credential that names nobody.';

const awaiting = z
  .object({ approvalId: z.string().describe('Id by which another operator decides.') })
  .meta({ id: 'BookingAwaitingApproval' });

/**
 * Stores a booking above a limit, where an operator's credential asks for it.
 * @returns the answer; undefined where it may be booked, and for a credential that names nobody
 */
async function askedForAnother<Input extends { amount: Decimal }>(
  tx: Tx,
  { keyring }: Pick<Services, 'keyring'>,
  decision: DecisionSpec<Account, Input>,
  { caller, requestId }: Call,
  { accountId: id, input, kept, reason, at }: AskedBooking<Input>,
): Promise<Reply | undefined> {
  const subject = await findAccount(tx, caller.reach, id);
  if (!subject) return undefined;
  const judged = { id, subject, input, at, actor: deciderOf(caller), proof: undefined };
  const approval = await askedAboveLimit(tx, keyring, decision, judged, { input: kept, reason });
  if (!approval) return undefined;
  const { id: approvalId, tenantId } = approval;
  const after = { approvalId, amount: input.amount.toFixed() };
  await audit(tx, { caller, requestId, action: `${decision.name}.ask`, subject: id, tenantId, after });
  return new Reply(202, { approvalId });
}

interface AskedBooking<Input> {
  accountId: string;
  input: Input;
  /** The input as JSON. */
  kept: object;
  reason: string;
  at: Date;
}

/** Routes by which an admin moves money by hand (`interface.md 4.1`; decisions part 4). */
export function adminAccountRoutes(services: Pick<Services, 'now' | 'keyring'>): Route[] {
  return [
    correction(services, 'deposit', 'Correction credit to an account'),
    correction(services, 'withdraw', 'Write-off from an account'),
    offrampRoute(services),
  ];
}

const BY_HAND = {
  deposit: { name: 'admin-deposit', kind: 'deposit/admin_deposit' },
  withdraw: { name: 'admin-withdrawal', kind: 'withdraw/admin_withdrawal' },
} as const;

function correction(
  services: Pick<Services, 'now' | 'keyring'>,
  verb: keyof typeof BY_HAND,
  summary: string,
): Route {
  const { now } = services;
  const { name, kind } = BY_HAND[verb];
  return route({
    method: 'POST',
    path: `/v1/accounts/${name}`,
    scope: 'money',
    tag: TAG,
    summary,
    description: LIMITED,
    role: 'admin',
    permission: 'money',
    body: z.strictObject({
      accountId: identifier(ACCOUNT_ID),
      amount: amount(),
      reason: text(500).min(1),
    }),
    response: accountTransactionSchema,
    awaitsApproval: awaiting,
    status: 201,
    problems: ['account_closed', 'limit_exceeded', 'insufficient_funds'],
    async write(tx, request) {
      const { caller, body, requestId, idempotencyKey } = request;
      const { accountId, amount: moved, reason } = body;
      const at = now();
      const booking = { accountId, input: { amount: moved }, kept: { amount: moved.toFixed() }, reason, at };
      const asked = await askedForAnother(tx, services, CORRECTIONS[verb], request, booking);
      if (asked) return asked;
      const given = { ...body, decider: { decidedBy: deciderOf(caller), at } };
      const { account, entry, limit } = await correct(tx, caller.reach, kind, given, idempotencyKey);
      const { before, after } = availableAround(entry, account.currency);
      await audit(tx, {
        caller,
        requestId,
        action: `accounts.${name}`,
        subject: account.id,
        tenantId: account.tenantId,
        before,
        after: { ...after, transactionId: entry.id, reason, limit },
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

function offrampRoute(services: Pick<Services, 'now' | 'keyring'>): Route {
  const { now } = services;
  return route({
    method: 'POST',
    path: '/v1/accounts/offramp-deposit',
    scope: 'money',
    tag: TAG,
    summary: 'Credit an account from an off-ramp',
    description: `Credits the tenant's master account of that currency and transfers to the account, in one posting group. ${LIMITED}`,
    role: 'admin',
    permission: 'money',
    body: z.strictObject({
      accountId: identifier(ACCOUNT_ID),
      amount: amount(),
      reference: text(200).min(1).describe('Your reference of the off-ramp; unique within the tenant.'),
    }),
    response: offrampSchema,
    awaitsApproval: awaiting,
    status: 201,
    problems: ['ErrAlreadyExists', 'account_closed', 'user_blocked', 'limit_exceeded'],
    async write(tx, request) {
      const { caller, body, requestId, idempotencyKey } = request;
      const { accountId, amount: moved, reference } = body;
      const at = now();
      const input = { amount: moved, reference };
      const kept = { amount: moved.toFixed(), reference };
      const booking = { accountId, input, kept, reason: 'an off-ramp', at };
      const asked = await askedForAnother(tx, services, OFFRAMP, request, booking);
      if (asked) return asked;
      const given = { ...body, decider: { decidedBy: deciderOf(caller), at } };
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
        after: { ...after, referenceId, reference, limit },
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
