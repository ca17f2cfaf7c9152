import { z } from 'zod';
import { ACCOUNT_EFFECTS } from '../../../kernel/ledger/effects';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import { keptDecimal } from '../../../kernel/wire/schemas';
import type { AnyKind, NewDecision } from '../kind';
import type { Decision, Situation } from '../record';
import { type ComponentTable, componentsOf, type Holding, internal, summed } from './position';

/** The system's decision that an account was closed. It keeps the amounts that the account had of the transfer. */
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

/**
 * The position by the kind's rules, with closed accounts left out of new credits. Money that the party's word would credit to a closed
 * account stands in suspense.
 */
export function positionOf(kind: AnyKind, situation: Situation): Holding[] {
  const table = componentsOf(kind);
  return situation.decisions
    .filter((decision) => decision.kind === KIND)
    .reduce((position, decision) => withoutCredits(position, decision, table), kind.position(situation));
}

/** The accounts of clients that changes of the books move, and of which no closing is noted. */
export const movedBy = (
  changes: readonly Holding[],
  decisions: readonly Decision[],
  table: ComponentTable,
): string[] => {
  const noted = new Set(decisions.filter(({ kind }) => kind === KIND).map(({ accountId }) => accountId));
  const moved = changes.filter((change) => isOfClient(change, table)).flatMap(({ account }) => account ?? []);
  return [...new Set(moved)].filter((account) => !noted.has(account)).sort();
};

/** Notes what an account had of the transfer when it was closed: the word may give it that back, and no more. */
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
 * The account keeps the amounts that it had where the word would give it more altogether. The rest is in suspense, so a refund or a
 * chargeback is taken from suspense first.
 */
function withoutCredits(position: Holding[], decision: Decision, table: ComponentTable): Holding[] {
  const { accountId: account, data } = decision;
  const kept = noted.parse(data).kept.map((each): Holding => ({ ...each, account }));
  const wanted = summed(position);
  const isIts = (holding: Holding) => holding.account === account && isOfClient(holding, table);
  const given = (holdings: readonly Holding[]) =>
    holdings.reduce((total, holding) => total.plus(givenBy(holding, table)), ZERO);
  const beyond = given(wanted.filter(isIts)).minus(given(kept));
  if (beyond.lte(0)) return position;
  const currency = [...wanted.filter(isIts), ...kept][0]?.currency;
  if (currency === undefined) throw new Error('nothing is given, and yet too much');
  return [
    ...wanted.filter((holding) => !isIts(holding)),
    ...kept,
    internal('suspense', currency, beyond),
  ].filter(({ amount }) => !amount.isZero());
}

const isOfClient = ({ component }: Pick<Holding, 'component'>, table: ComponentTable): boolean =>
  table[component]?.on === 'client';

/** The amount that a holding adds to its account; below zero where the holding takes money. */
function givenBy({ component, amount }: Holding, table: ComponentTable): Decimal {
  const rule = table[component];
  return rule?.on === 'client' ? amount.times(ACCOUNT_EFFECTS[rule.up].available) : ZERO;
}
