import { type Decimal, ZERO } from '../../kernel/money/money';

/** The party's word: the whole present state of a transfer at the party. Parts carry the party's ids. */
export interface PartyWord {
  /** Grows with each change at the party. Absent where the party has no versions. */
  version?: number | undefined;
}

/** The fields of every kind of transfer. Each kind has its own types for terms and word. */
export interface Transfer<Terms = unknown, Word = PartyWord> {
  id: string;
  kind: string;
  /** null: the money has no owner yet, and all of it stands in suspense. */
  tenantId: string | null;
  accountId: string | null;
  status: string;
  /** Agreed at creation; never changed. */
  terms: Terms;
  /** The reference of its account transactions. */
  referenceId: string;
  idempotencyKey: string | null;
  /** The party's name for the transfer, or the key that we ask by. Null until there is one. */
  partyRef: string | null;
  /**
   * Since when the party may have the order; a step commits it before its first call. For a transfer that the party
   * created: since when we know it.
   */
  orderedAt: Date | null;
  /** The party's word that was applied last. */
  word: Word | null;
  wordAt: Date | null;
  /**
   * The party's last answer where it does not count yet: it takes something back and was read once, or its version is
   * older.
   */
  doubted: Word | null;
  /**
   * When the doubted word was first read. It counts when it is read again a minute later. Null: time does not make it
   * count.
   */
  doubtedAt: Date | null;
  parts: readonly Part[];
  /** Our failure code: why the transfer failed or waits for a person. */
  failure: string | null;
  /** Number of changes. An answer from before a change is not applied. */
  revision: number;
  /** Steps in a row that found nothing new. */
  quiet: number;
  /** Time of the workflow's next step by timer. Null while it has no timer. */
  lookAt: Date | null;
  /** Time by which the next step must have run. Later than that the workflow or its signal counts as lost. */
  dueBy: Date | null;
  /** When the transfer first had each status. */
  reached: Readonly<Record<string, string>>;
  createdAt: Date;
  updatedAt: Date;
}

/** A refund, dispute or return of a transfer, in the order in which they were first seen. */
export interface Part {
  id: string;
  /** The party's name of the part, or our key where we ordered it. */
  name: string;
}

/** A decision by a person, or by the system where time or the path matters. */
export interface Decision {
  id: string;
  kind: string;
  amount: Decimal | null;
  currency: string | null;
  accountId: string | null;
  data: Record<string, unknown>;
  reason: string | null;
  /** `system`, or who decided, such as `operator:<name>`. */
  decidedBy: string;
  at: Date;
}

export const SYSTEM = 'system';

type Decided = Pick<Situation, 'decisions'>;

export const first = ({ decisions }: Decided, ...kinds: string[]): Decision | undefined =>
  decisions.find(({ kind }) => kinds.includes(kind));

export const last = ({ decisions }: Decided, ...kinds: string[]): Decision | undefined =>
  decisions.findLast(({ kind }) => kinds.includes(kind));

/** The refusal of one of our orders by the party. */
export const refusalOf = ({ decisions }: Decided, key: string): Decision | undefined =>
  decisions.find(({ kind, data }) => kind === 'refused' && data['key'] === key);

/** The amount of a decision, zero where it has none. */
export const moneyOf = ({ amount, currency }: Pick<Decision, 'amount' | 'currency'>) => ({
  amount: amount ?? ZERO,
  currency: currency ?? '',
});

/** The input of all rules: status and position are functions of a situation. */
export interface Situation<Terms = unknown, Word = PartyWord> {
  transfer: Transfer<Terms, Word>;
  /** In the order in which they were made. */
  decisions: readonly Decision[];
  /** The present time. */
  at: Date;
  /**
   * When the party was asked, if its whole answer is included here. Absent where it was not asked now. Deadlines
   * compare with this time, because the party may report late what happened in time.
   */
  askedAt?: Date;
}

/** A line of a kind's table of transitions. */
export interface Transition<Status extends string = string, Trigger extends string = string> {
  from: readonly Status[];
  on: Trigger;
  to: Status;
  /** The party takes back its word. The books follow, and a person is told. */
  contradicts?: true;
}

export const transitionOf = (
  transitions: readonly Transition[],
  from: string,
  on: string,
): Transition | undefined => transitions.find((line) => line.from.includes(from) && line.on === on);
