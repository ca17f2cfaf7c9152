import { z } from 'zod';
import { ACCOUNT_EFFECTS } from '../../../kernel/ledger/effects';
import { type Decimal, sumOf, ZERO } from '../../../kernel/money/money';
import { keptDecimal } from '../../../kernel/wire/schemas';
import type { AnyKind, NewDecision } from '../kind';
import type { Decision, Situation } from '../record';
import { type ComponentTable, componentsOf, type Holding, internal, summed } from './position';

/**
 * The system's decision that an account was closed. Its data are the amounts that the account then had of the
 * transfer.
 */
const KIND = 'account_shut';

const noted = z.object({
  kept: z.array(
    z.object({
      component: z.string(),
      part: z.string().nullable(),
      currency: z.string(),
      amount: keptDecimal,
    }),
  ),
});

/** The position by the kind's rules, without new credits to closed accounts. Such money stands in suspense. */
export function positionOf(kind: AnyKind, situation: Situation): Holding[] {
  const table = componentsOf(kind);
  return situation.decisions
    .filter((decision) => decision.kind === KIND)
    .reduce((position, decision) => withoutCredits(position, decision, table), kind.position(situation));
}

/** Client accounts that changes would move, except those whose closing is noted already. */
export const movedBy = (
  changes: readonly Holding[],
  decisions: readonly Decision[],
  table: ComponentTable,
): string[] => {
  const noted = new Set(decisions.filter(({ kind }) => kind === KIND).map(({ accountId }) => accountId));
  const moved = changes.filter((change) => isOfClient(change, table)).flatMap(({ account }) => account ?? []);
  return [...new Set(moved)].filter((account) => !noted.has(account)).sort();
};

/** Notes what an account had of the transfer when it was closed. A later word may restore that much, and no more. */
export function closingNoted(
  account: string,
  booked: readonly Holding[],
  table: ComponentTable,
): NewDecision {
  const kept = booked
    .filter((holding) => holding.account === account && isOfClient(holding, table))
    .map(({ component, part, currency, amount }) => ({
      component,
      part,
      currency,
      amount: amount.toFixed(),
    }));
  return { kind: KIND, accountId: account, data: { kept } };
}

/**
 * Limits a closed account to the amounts that it had. The rest stands in suspense, so refunds and chargebacks take it
 * from there first. A hold on the account takes its amount, so the account cannot pay and hold the same money.
 */
function withoutCredits(position: Holding[], decision: Decision, table: ComponentTable): Holding[] {
  const { accountId: account, data } = decision;
  const kept = noted.parse(data).kept.map((each): Holding => ({ ...each, account }));
  const wanted = summed(position);
  const its = wanted.filter((holding) => holding.account === account);
  const given = (holdings: readonly Holding[]) =>
    sumOf(holdings.map((holding) => ({ amount: givenBy(holding, table) })));
  const beyond = given(its).minus(given(kept));
  const held = sumOf(its.filter(({ component }) => table[component]?.on === 'hold'));
  if (beyond.lte(held)) return position;
  const currency = [...its, ...kept][0]?.currency;
  if (currency === undefined) throw new Error('a closed account is credited in no currency');
  return [
    ...wanted.filter((holding) => holding.account !== account),
    ...kept,
    internal('suspense', currency, beyond),
  ].filter(({ amount }) => !amount.isZero());
}

const isOfClient = ({ component }: Pick<Holding, 'component'>, table: ComponentTable): boolean =>
  table[component]?.on === 'client';

/** The amount that a holding adds to its account. Negative where the holding takes money. */
function givenBy({ component, amount }: Holding, table: ComponentTable): Decimal {
  const rule = table[component];
  return rule?.on === 'client' ? amount.times(ACCOUNT_EFFECTS[rule.up].available) : ZERO;
}
