import { type Decimal, ZERO } from '../../kernel/money/money';

/** A word names its parts by the party's own ids, and carries the party's version where there is one. */
export interface PartyWord {
  /** Grows with each change at the party. */
  version?: number | undefined;
}

/** What every kind of transfer has. Terms and word are of the kind's own shape. */
export interface Transfer<Terms = unknown, Word = PartyWord> {
  id: string;
  kind: string;
  /** null: it is nobody's, and all of it stands in suspense. */
  tenantId: string | null;
  accountId: string | null;
  status: string;
  /** Agreed when it was made; never changed. */
  terms: Terms;
  /** Of its account transactions. */
  referenceId: string;
  idempotencyKey: string | null;
  /** The party's name for it, or the key that it is asked by; null: it knows of none. */
  partyRef: string | null;
  /** The order may have reached the party since: a step has committed that. Of what the party has made: since it is known here. */
  orderedAt: Date | null;
  /** The party's whole state, as it was applied last. */
  word: Word | null;
  wordAt: Date | null;
  /** The party's last answer, where it does not count: it takes something back and was read once, or its version is older. */
  doubted: Word | null;
  /** A word that takes something back counts when it is read again a minute after that; null: no time makes it count. */
  doubtedAt: Date | null;
  parts: readonly Part[];
  /** A code of ours: why it failed, or waits for a person. */
  failure: string | null;
  /** Changes so far: a word that was asked for before one is not applied. */
  revision: number;
  /** Looks in a row that found nothing new. */
  quiet: number;
  /** Its workflow looks again by itself then; null while it rests. */
  lookAt: Date | null;
  /** Its workflow must have looked by then, or was lost. */
  dueBy: Date | null;
  /** When it first had each status. */
  reached: Readonly<Record<string, string>>;
  createdAt: Date;
  updatedAt: Date;
}

/** A refund, dispute or return of a transfer; they are ordered by when they were first seen. */
export interface Part {
  id: string;
  /** What the party calls it, or our key where we ordered it. */
  name: string;
}

/** A row of what was decided: by a person, or by the system where time or path matters. */
export interface Decision {
  id: string;
  kind: string;
  amount: Decimal | null;
  currency: string | null;
  accountId: string | null;
  data: Record<string, unknown>;
  reason: string | null;
  /** `system`, or who. */
  decidedBy: string;
  at: Date;
}

export const SYSTEM = 'system';

type Decided = Pick<Situation, 'decisions'>;

export const first = ({ decisions }: Decided, ...kinds: string[]): Decision | undefined =>
  decisions.find(({ kind }) => kinds.includes(kind));

export const last = ({ decisions }: Decided, ...kinds: string[]): Decision | undefined =>
  decisions.findLast(({ kind }) => kinds.includes(kind));

/** That the party has refused an order of ours. */
export const refusalOf = ({ decisions }: Decided, key: string): Decision | undefined =>
  decisions.find(({ kind, data }) => kind === 'refused' && data['key'] === key);

/** Of a decision that has an amount. */
export const moneyOf = ({ amount, currency }: Pick<Decision, 'amount' | 'currency'>) => ({
  amount: amount ?? ZERO,
  currency: currency ?? '',
});

/** All that a transfer's status and position are functions of. */
export interface Situation<Terms = unknown, Word = PartyWord> {
  transfer: Transfer<Terms, Word>;
  /** In the order in which they were taken. */
  decisions: readonly Decision[];
  /** Now. */
  at: Date;
  /**
   * When the party was asked, where its answer is all in here; absent where it was not asked now. What has a time decides
   * with that: what the party has heard of in time may be news to us.
   */
  askedAt?: Date;
}

/** A line of a kind's table of states: from any of these. */
export interface Transition<Status extends string = string, Trigger extends string = string> {
  from: readonly Status[];
  on: Trigger;
  to: Status;
  /** The party takes its own word back: the books follow it, and a person is told. */
  contradicts?: true;
}

export const transitionOf = (
  transitions: readonly Transition[],
  from: string,
  on: string,
): Transition | undefined => transitions.find((line) => line.from.includes(from) && line.on === on);
