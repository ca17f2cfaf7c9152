import { z } from 'zod';
import type { Tx } from '../kernel/db/database';
import { readBalances } from '../kernel/ledger/accounts';
import type { PostedEntry } from '../kernel/ledger/entries';
import { type Decimal, moneyText, ZERO } from '../kernel/money/money';
import { amount, currency, identifier, text } from '../kernel/wire/schemas';
import {
  type Decision,
  decision,
  type Effect,
  installation,
  type SubjectSpec,
} from '../process/desk/decision';
import type { Services } from '../services';
import { requireTenant } from '../tenants/clients/operations';
import { correct, correctable, offrampable, offrampDeposit } from './accounts/admin';
import { notCovered } from './accounts/move';
import {
  findAccount,
  findMasterAccount,
  holdAccount,
  lockAccount,
  openMasterAccount,
} from './accounts/operations';
import type { Account } from './accounts/record';
import { accountTransactionView } from './accounts/view';

export interface AccountDecisionServices extends Pick<Services, 'now'> {
  /** Closes an account that is empty, with nothing open on it (src/transfers/close-account.ts). @throws Problem 409 */
  closeAccount(tx: Tx, id: string, at: Date): Promise<Account>;
  /** @throws Problem as `closeAccount` */
  assertClosable(tx: Tx, account: Account): Promise<void>;
}

export const accountDecisions = (services: AccountDecisionServices): Decision[] => [
  opening,
  closing(services),
  correction('deposit'),
  correction('withdraw'),
  offramp,
];

/** Corrections share the row, because they move money as any other operation does. */
const corrected: SubjectSpec<Account> = {
  noun: 'account',
  kinds: ['account'],
  read: (sql, id) => findAccount(sql, null, id),
  lock: (tx, id) => holdAccount(tx, id),
  tenantOf: ({ tenantId }) => tenantId,
};

/** In upper or lower case. */
const typedCurrency = z.string().toUpperCase().pipe(currency());

const opening = decision<object, { client: string; currency: string }>({
  name: 'account.open',
  title: "opens a tenant's master account in a currency or an asset, or tells the one that exists",
  permission: 'money',
  subject: installation,
  reason: 'optional',
  input: z.strictObject({
    client: identifier('cli_01jz0000000000000000000000').meta({ description: 'Id of the tenant.' }),
    currency: typedCurrency,
  }),
  restsOn: () => ({}),
  async preview(tx, { input: { client, currency: code } }) {
    await requireTenant(tx, client);
    const master = await findMasterAccount(tx, client, code);
    const open = master?.status === 'active' ? master.id : null;
    return [{ field: `account in ${code}`, from: open, to: open ?? 'a new one' }];
  },
  async execute(tx, { input: { client, currency: code } }) {
    await requireTenant(tx, client);
    const { account, opened } = await openMasterAccount(tx, client, code);
    return {
      about: { id: account.id, tenantId: client },
      after: { currency: code, opened },
      result: { accountId: account.id, clientId: client, currency: code, opened },
    };
  },
});

/** The audit entry of a master account that another decision has opened. Empty when the account existed. */
export const openedBeside = ({ account, opened }: { account: Account; opened: boolean }) =>
  opened
    ? [
        {
          action: 'account.open',
          subject: account.id,
          tenantId: account.tenantId,
          after: { currency: account.currency },
        },
      ]
    : [];

const closing = ({ now, closeAccount, assertClosable }: AccountDecisionServices): Decision =>
  decision<Account>({
    name: 'account.close',
    title: 'closes an account for good: it is empty, and nothing is open on it',
    permission: 'money',
    // Operations that move its money hold a share lock of its row, so closing waits for them.
    subject: { ...corrected, lock: (tx, id) => lockAccount(tx, null, id) },
    restsOn: ({ status }) => ({ status }),
    async preview(tx, { subject }) {
      await assertClosable(tx, subject);
      return [{ field: 'status', from: subject.status, to: 'closed' }];
    },
    async execute(tx, { id, subject }) {
      const { tenantId, currency: code, status } = await closeAccount(tx, id, now());
      return {
        before: { status: subject.status },
        after: { status },
        result: { accountId: id, clientId: tenantId, currency: code, status },
      };
    },
  });

const CORRECTIONS = {
  deposit: { effect: 'deposit/admin_deposit', title: 'credits an account by hand', sign: 1 },
  withdraw: { effect: 'withdraw/admin_withdrawal', title: 'debits an account by hand', sign: -1 },
} as const;

const amountField = amount().meta({ description: 'In the currency of the account.' });

function correction(verb: keyof typeof CORRECTIONS): Decision {
  const { effect, title, sign } = CORRECTIONS[verb];
  return decision<Account, { amount: Decimal }>({
    name: `account.${verb}`,
    title: `${title}; above the limit another operator must approve it`,
    permission: 'money',
    subject: corrected,
    input: z.strictObject({ amount: amountField }),
    // The balance is no fact here, because other movements change it all the time.
    restsOn: ({ status }) => ({ status }),
    async weigh(tx, { id, input }) {
      const { currency: code } = await correctable(tx, null, { ...input, accountId: id });
      return { amount: input.amount, currency: code, ever: false };
    },
    async preview(tx, { id, input }) {
      const account = await correctable(tx, null, { ...input, accountId: id });
      return [await availableEffect(tx, account, input.amount.times(sign))];
    },
    async execute(tx, { id, input }) {
      const { account, entry } = await correct(tx, null, effect, { ...input, accountId: id }, undefined);
      const result = accountTransactionView(entry, account.currency);
      const { id: transactionId, amount: moved, balanceAfter } = result;
      return { after: { transactionId, amount: moved, available: balanceAfter }, result };
    },
  });
}

/** The available balance before and after the movement. @throws Problem 409 `insufficient_funds` */
async function availableEffect(tx: Tx, { id, currency: code }: Account, moved: Decimal): Promise<Effect> {
  const before = (await readBalances(tx, [id])).get(id)?.available ?? ZERO;
  const after = before.plus(moved);
  if (moved.isNegative() && after.isNegative()) throw notCovered('amount');
  const shown = (value: Decimal) => moneyText({ amount: value, currency: code });
  return { field: 'available', from: shown(before), to: shown(after) };
}

const offramp = decision<Account, { amount: Decimal; reference: string }>({
  name: 'account.offramp',
  title: 'offramp-deposit by hand; above the limit another operator must approve it',
  permission: 'money',
  subject: corrected,
  input: z.strictObject({
    amount: amountField,
    reference: text(200).trim().min(1).meta({ description: "The off-ramp's own, once." }),
  }),
  restsOn: ({ status }) => ({ status }),
  async weigh(tx, { id, input }) {
    const { currency: code } = await offrampable(tx, null, { ...input, accountId: id });
    return { amount: input.amount, currency: code, ever: false };
  },
  async preview(tx, { id, input }) {
    const account = await offrampable(tx, null, { ...input, accountId: id });
    return [await availableEffect(tx, account, input.amount)];
  },
  async execute(tx, { id, input }) {
    const given = { ...input, accountId: id };
    const { account, entries, referenceId } = await offrampDeposit(tx, null, given, undefined);
    const result = accountTransactionView(entries.at(-1) as PostedEntry, account.currency);
    const { amount: moved, balanceAfter: available } = result;
    return { after: { referenceId, reference: input.reference, amount: moved, available }, result };
  },
});
