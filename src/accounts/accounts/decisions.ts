import { z } from 'zod';
import type { Tx } from '../../kernel/db/database';
import { readBalances } from '../../kernel/ledger/accounts';
import type { PostedEntry } from '../../kernel/ledger/entries';
import { type Decimal, moneyText, ZERO } from '../../kernel/money/money';
import { amount, text } from '../../kernel/wire/schemas';
import type { DecisionSpec, Effect, SubjectSpec } from '../../process/desk/decision';
import { correct, correctable, offrampable, offrampDeposit } from './admin';
import { notCovered } from './move';
import { findAccount, holdAccount } from './operations';
import type { Account } from './record';
import { accountTransactionView } from './view';

/** Money that a person moves by hand, as decisions of the desk. The API's `admin-deposit` and its likes ask for the same. */

/** Corrections share the row, because they move money as any other operation does. */
export const corrected: SubjectSpec<Account> = {
  noun: 'account',
  kinds: ['account'],
  read: (sql, id) => findAccount(sql, null, id),
  lock: (tx, id) => holdAccount(tx, id),
  tenantOf: ({ tenantId }) => tenantId,
};

const KINDS = {
  deposit: { effect: 'deposit/admin_deposit', title: 'credits an account by hand', sign: 1 },
  withdraw: { effect: 'withdraw/admin_withdrawal', title: 'debits an account by hand', sign: -1 },
} as const;

const amountField = amount().meta({ description: 'In the currency of the account.' });

function correction(verb: keyof typeof KINDS): DecisionSpec<Account, { amount: Decimal }> {
  const { effect, title, sign } = KINDS[verb];
  return {
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
  };
}

/** `admin-deposit` and `admin-withdrawal` as decisions. */
export const CORRECTIONS = { deposit: correction('deposit'), withdraw: correction('withdraw') };

/** The available balance before and after the movement. @throws Problem 409 `insufficient_funds` */
async function availableEffect(tx: Tx, { id, currency: code }: Account, moved: Decimal): Promise<Effect> {
  const before = (await readBalances(tx, [id])).get(id)?.available ?? ZERO;
  const after = before.plus(moved);
  if (moved.isNegative() && after.isNegative()) throw notCovered('amount');
  const shown = (value: Decimal) => moneyText({ amount: value, currency: code });
  return { field: 'available', from: shown(before), to: shown(after) };
}

/** `offramp-deposit` as a decision. */
export const OFFRAMP: DecisionSpec<Account, { amount: Decimal; reference: string }> = {
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
};
