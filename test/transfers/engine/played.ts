import { type Decimal, ZERO } from '../../../src/kernel/money/money';
import { effective } from '../../../src/transfers/engine/conclusion';
import { type Followed, follow, hear } from '../../../src/transfers/engine/follow';
import type { PartyWord, TransferKind } from '../../../src/transfers/engine/kind';
import { balanced, type Holding, INTERNAL_COMPONENTS } from '../../../src/transfers/engine/position';
import type { Decision, Situation, Transfer } from '../../../src/transfers/engine/record';

/** The pure part of a kind. */
export type Rules<T, W extends PartyWord> = Pick<
  TransferKind<T, W>,
  | 'name'
  | 'transitions'
  | 'components'
  | 'choose'
  | 'trigger'
  | 'failure'
  | 'measures'
  | 'parts'
  | 'position'
  | 'concluded'
>;

export const START = new Date('2026-11-21T12:00:00Z');
const MINUTE = 60_000;

/** A transfer as it is made. */
export const begun = <T, W>(
  given: Partial<Transfer<T, W>> & Pick<Transfer<T, W>, 'status' | 'terms'>,
): Situation<T, W> => ({
  transfer: {
    ...{ id: 'rec_1', kind: 'kind', tenantId: 'cli_1', accountId: 'acc_1', referenceId: 'rec_1' },
    ...{ idempotencyKey: null, partyRef: 'rec_1', orderedAt: START, word: null, wordAt: null, doubted: null },
    ...{ doubtedAt: null, parts: [], failure: null, adopted: true, revision: 0, quiet: 0, lookAt: null },
    ...{ dueBy: null, reached: {}, createdAt: START, updatedAt: START },
    ...given,
  },
  decisions: [],
  at: START,
});

export type Step<W> = { word: W } | { decide: Decision } | { minutes: number };

export interface Played<T, W> {
  /** As it is kept. */
  situation: Situation<T, W>;
  /** With the word that counts. */
  counts: Situation<T, W>;
  /** What the books hold then. */
  readonly position: Holding[];
  last: Followed<T, W>;
}

/** One advance, as the engine makes it: the word is heard, then the word that counts is followed. */
export function step<T, W extends PartyWord>(
  rules: Rules<T, W>,
  before: Situation<T, W>,
  taken: Step<W>,
): Played<T, W> {
  const kind = rules as unknown as TransferKind<T, W>;
  let known = before;
  if ('minutes' in taken) known = { ...known, at: new Date(known.at.getTime() + taken.minutes * MINUTE) };
  if ('decide' in taken && !known.decisions.some(({ id }) => id === taken.decide.id))
    known = { ...known, decisions: [...known.decisions, taken.decide] };
  const heard = 'word' in taken ? hear(kind, known, taken.word) : known;
  const last = follow(kind, effective(kind, heard));
  const situation = {
    ...last.situation,
    transfer: { ...last.situation.transfer, word: heard.transfer.word },
  };
  const table = { ...INTERNAL_COMPONENTS, ...rules.components };
  const counts = effective(kind, situation);
  return {
    ...{ situation, counts, last },
    get position() {
      return balanced(rules.position(counts), table);
    },
  };
}

export function play<T, W extends PartyWord>(
  rules: Rules<T, W>,
  from: Situation<T, W>,
  steps: readonly Step<W>[],
): Played<T, W> {
  let played = step(rules, from, { minutes: 0 });
  for (const each of steps) played = step(rules, played.situation, each);
  return played;
}

/** What is booked of a component, in a currency or in all. */
export const bookedOn = (position: readonly Holding[], component: string, currency?: string): Decimal =>
  position
    .filter((each) => each.component === component && (currency ?? each.currency) === each.currency)
    .reduce((sum, { amount }) => sum.plus(amount), ZERO);

/** `component part: amount` of each, for a table of cases. */
export const shownPosition = (position: readonly Holding[]): Record<string, number> =>
  Object.fromEntries(
    position.map(({ component, part, amount }) => [
      part ? `${component} ${part}` : component,
      amount.toNumber(),
    ]),
  );

export const RUNS = Number(process.env['PROOF_RUNS'] ?? 2_000);
