import { byCurrency, type Decimal, ZERO } from '../../../kernel/money/money';
import type { Decision } from '../record';
import type { Holding } from './position';

/**
 * Resolutions: decisions that take a fixed amount out of suspense.
 * `return`: to the payer, by the party.
 * `credit`: to an account.
 * `write_off`: to losses.
 * `recover`: from an account, to cover suspense below zero.
 */
export type ResolutionKind = 'return' | 'credit' | 'write_off' | 'recover';

/** A fixed amount that a person took out of suspense, or brought in where it is negative (decisions part 2). */
export interface Resolution {
  /** Id of the decision. */
  part: string;
  to: 'account' | 'losses';
  account: string | null;
  currency: string;
  amount: Decimal;
}

const LEADS_TO: Partial<Record<ResolutionKind, Resolution['to']>> = {
  credit: 'account',
  recover: 'account',
  write_off: 'losses',
};

/** Name of the decision of a resolution: `suspense_<resolution>`. */
export const decisionOf = (resolution: ResolutionKind): string => `suspense_${resolution}`;

/** The amounts that decisions took out of suspense. A `return` is absent, because it is an order to the party. */
export function resolutionsOf(decisions: readonly Decision[]): Resolution[] {
  return decisions.flatMap(({ id, kind, amount, currency, accountId }) => {
    const resolution = (Object.keys(LEADS_TO) as ResolutionKind[]).find((each) => decisionOf(each) === kind);
    const to = resolution && LEADS_TO[resolution];
    if (!to || amount === null || currency === null || amount.eq(ZERO)) return [];
    return [{ part: id, to, account: to === 'account' ? accountId : null, currency, amount }];
  });
}

/** The holding of a resolution at its destination. */
export const resolutionHolding = ({ part, to, account, currency, amount }: Resolution): Holding => ({
  component: to === 'account' ? 'released' : 'losses',
  part,
  account,
  currency,
  amount,
});

/**
 * The payer's money that resolutions took out of suspense, by currency. Amounts brought in from elsewhere are not the
 * payer's.
 */
export const takenByResolutions = (decisions: readonly Decision[]): { currency: string; amount: Decimal }[] =>
  byCurrency(resolutionsOf(decisions)).filter(({ amount }) => amount.gt(0));
