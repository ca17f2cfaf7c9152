import { formatAmount, moneyText } from '../../kernel/money/money';
import type { Approval, ConfigChange } from './record';

export const approvalView = ({
  money,
  terms,
  requestedAt,
  firstAt,
  decidedAt,
  seal: _,
  permission: __,
  ...rest
}: Approval) => ({
  ...rest,
  terms: shownTerms(terms),
  amount: money && formatAmount(money.amount, money.currency),
  currency: money?.currency ?? null,
  requestedAt: requestedAt.toISOString(),
  firstAt: firstAt?.toISOString() ?? null,
  decidedAt: decidedAt?.toISOString() ?? null,
});

/** Terms hold what a decision has made in secret, sealed, which nobody needs to see. */
function shownTerms(terms: unknown): unknown {
  if (terms === null || typeof terms !== 'object') return terms;
  return Object.fromEntries(Object.entries(terms).filter(([name]) => name !== 'secret'));
}

/** Cell of a table: the money, or the changed fields. */
export const whatOf = ({ money, changes }: Pick<Approval, 'money' | 'changes'>): string =>
  money ? moneyText(money) : changes.map(changeText).join('; ');

const changeText = ({ field, from, to }: ConfigChange): string =>
  `${field}: ${from ?? 'none'} -> ${to ?? 'none'}`;
