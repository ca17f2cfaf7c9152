import fc from 'fast-check';
import { type Decimal, roundTo, sumOf } from '../../../../../src/kernel/money/money';
import { decisionOf, type ResolutionKind } from '../../../../../src/transfers/engine/books/resolutions';
import {
  CONCLUSIONS,
  type Conclusion,
  conclusionData,
  ifConcluded,
} from '../../../../../src/transfers/engine/conclusion';
import type { NewDecision, TransferKind } from '../../../../../src/transfers/engine/kind';
import type { PartyWord, Situation } from '../../../../../src/transfers/engine/record';
import { type Act, FOLLOW } from '../kind-proof';

/** Acts of operators that every kind of transfer has. */

export const RESOLUTIONS: readonly ResolutionKind[] = ['return', 'credit', 'write_off', 'recover'];

/** @param own the kind's own acts, each with its weight */
export const actsOf = (own: readonly [string, number][], ...currencies: string[]): fc.Arbitrary<Act> =>
  fc.record({
    kind: fc.oneof(
      ...own.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) })),
      { weight: 2, arbitrary: fc.constantFrom(...CONCLUSIONS) },
      { weight: 4, arbitrary: fc.constantFrom(...RESOLUTIONS) },
      { weight: 2, arbitrary: fc.constant(FOLLOW) },
    ),
    share: fc.constantFrom(1, 1, 0.5, 0.01),
    currency: fc.constantFrom(...currencies),
  });

/** The act's share of an amount, rounded in the act's currency. */
export const partOf = ({ share, currency }: Pick<Act, 'share' | 'currency'>, amount: Decimal): Decimal =>
  roundTo(amount.times(share), currency);

/** The decision of a common act, a conclusion or a door. Undefined if it is not possible. */
export function commonDecision<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  situation: Situation<Terms, Word>,
  act: Act,
  heard: Situation<Terms, Word>,
): NewDecision | undefined {
  const as = CONCLUSIONS.find((each) => each === act.kind);
  if (as) return conclusion(kind, as, heard);
  const door = kind.resolutions.find((each) => each === act.kind);
  return door && resolved(kind, situation, door, act);
}

function conclusion<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  as: Conclusion,
  heard: Situation<Terms, Word>,
): NewDecision | undefined {
  const given = { kind: 'conclude', data: conclusionData(as, heard) };
  return kind.concluded?.(ifConcluded(heard, given, 'operator:ada'), as) === undefined ? undefined : given;
}

function resolved<Terms, Word extends PartyWord>(
  kind: TransferKind<Terms, Word>,
  situation: Situation<Terms, Word>,
  door: ResolutionKind,
  act: Act,
): NewDecision | undefined {
  const { currency } = act;
  const has = sumOf(
    kind
      .position(situation)
      .filter(({ component, currency: its }) => component === 'suspense' && its === currency),
  );
  if (has.isZero() || (door !== 'write_off' && has.gt(0) === (door === 'recover'))) return undefined;
  const accountId = door === 'credit' || door === 'recover' ? 'acc_2' : null;
  return { kind: decisionOf(door), amount: partOf(act, has), currency, accountId };
}
