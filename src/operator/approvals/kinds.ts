import { z } from 'zod';
import { correct, correctable, offrampable, offrampDeposit } from '../../accounts/accounts/admin';
import { accountTransactionView } from '../../accounts/accounts/view';
import type { PostedEntry } from '../../kernel/ledger/entries';
import { amount, text } from '../../kernel/wire/schemas';
import { type AnyDecisionKind, kind } from './kind';

const correction = (
  action: 'account.deposit' | 'account.withdraw',
  effect: 'deposit/admin_deposit' | 'withdraw/admin_withdrawal',
) =>
  kind({
    terms: z.object({ accountId: z.string(), amount: amount() }),
    async weigh(_, tx, terms) {
      const { id: subject, tenantId, currency } = await correctable(tx, null, terms);
      const settled = { ...terms, amount: terms.amount.toFixed() };
      return { amount: terms.amount, currency, subject, tenantId, ever: false, terms: settled };
    },
    async execute(_, tx, terms, { reason }) {
      const { account, entry } = await correct(tx, null, effect, terms, undefined);
      const result = accountTransactionView(entry, account.currency);
      const { id: transactionId, amount: moved, balanceAfter } = result;
      const after = { transactionId, amount: moved, available: balanceAfter, reason };
      return { entry: { action, subject: account.id, tenantId: account.tenantId, after }, result };
    },
  });

const offramp = kind({
  terms: z.object({ accountId: z.string(), amount: amount(), reference: text(200).min(1) }),
  async weigh(_, tx, terms) {
    const { id: subject, tenantId, currency } = await offrampable(tx, null, terms);
    const settled = { ...terms, amount: terms.amount.toFixed() };
    return { amount: terms.amount, currency, subject, tenantId, ever: false, terms: settled };
  },
  async execute(_, tx, terms, { reason }) {
    const { account, entries, referenceId } = await offrampDeposit(tx, null, terms, undefined);
    const { id: subject, tenantId, currency } = account;
    const result = accountTransactionView(entries.at(-1) as PostedEntry, currency);
    const { amount: moved, balanceAfter: available } = result;
    const after = { referenceId, reference: terms.reference, amount: moved, available, reason };
    return { entry: { action: 'account.offramp', subject, tenantId, after }, result };
  },
});

/** Decisions that need two operators above the limit. Stored approvals refer to these names. */
export const DECISION_KINDS = {
  'account.deposit': correction('account.deposit', 'deposit/admin_deposit'),
  'account.withdraw': correction('account.withdraw', 'withdraw/admin_withdrawal'),
  'account.offramp': offramp,
} as const satisfies Record<string, AnyDecisionKind>;

export type DecisionName = keyof typeof DECISION_KINDS;
