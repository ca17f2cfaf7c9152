import { byCurrency, type Decimal, ZERO } from '../../../kernel/money/money';
import type { Decision } from '../record';
import type { Holding } from './position';

/**
 * Decisions that move a fixed amount out of suspense: to the payer by the party, to an account, to losses; `recover` takes
 * from an account what suspense is short of.
 */
export type DoorKind = 'return' | 'credit' | 'write_off' | 'recover';

/** A fixed amount that a person has let out of suspense, or into it where it is negative (decisions part 2). */
export interface Door {
  /** The decision's id. */
  part: string;
  to: 'account' | 'losses';
  account: string | null;
  currency: string;
  amount: Decimal;
}

const LEADS_TO: Partial<Record<DoorKind, Door['to']>> = {
  credit: 'account',
  recover: 'account',
  write_off: 'losses',
};

/** The decision of a door is named `suspense_<door>`. What is returned to the payer is an order to the party. */
export const decisionOf = (door: DoorKind): string => `suspense_${door}`;

/** What has been let out by decisions; a position adds it to where it leads. */
export function doorsOf(decisions: readonly Decision[]): Door[] {
  return decisions.flatMap(({ id, kind, amount, currency, accountId }) => {
    const door = (Object.keys(LEADS_TO) as DoorKind[]).find((each) => decisionOf(each) === kind);
    const to = door && LEADS_TO[door];
    if (!to || amount === null || currency === null || amount.eq(ZERO)) return [];
    return [{ part: id, to, account: to === 'account' ? accountId : null, currency, amount }];
  });
}

/** Where it stands in the books. */
export const doorHolding = ({ part, to, account, currency, amount }: Door): Holding => ({
  ...{ component: to === 'account' ? 'released' : 'losses', part, account, currency, amount },
});

/** What of the payer's money is gone by doors, by currency: what was brought in from elsewhere is not the payer's. */
export const letOutBy = (decisions: readonly Decision[]): { currency: string; amount: Decimal }[] =>
  byCurrency(doorsOf(decisions)).filter(({ amount }) => amount.gt(0));
