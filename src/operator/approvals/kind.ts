import type { z } from 'zod';
import type { Tx } from '../../kernel/db/database';
import type { Decimal } from '../../kernel/money/money';
import { firstProblem } from '../../kernel/wire/schemas';
import type { ConfigChange } from '../../process/approvals/operations';
import type { ChangeEntry, Session } from '../session';

/** What an operator's decision comes to, by the rules of now. */
export interface Weighed {
  amount: Decimal;
  currency: string;
  /** The record that it is about. */
  subject: string;
  tenantId: string | null;
  /** What was decided alone of the subject before counts with it: of a transfer for ever, of an account in this UTC day. */
  ever: boolean;
  /** As they are stored, amounts as text; with what was left open settled, so what is done is what was judged. */
  terms: object;
}

export interface Done {
  entry: ChangeEntry;
  /** What came of it, as `--json` prints it. */
  result: unknown;
}

/** By whom, and why. */
export interface By {
  reason: string;
  decidedBy: string;
}

/** A decision that takes two operators above the limit of the installation (decisions part 2). */
export interface DecisionKind<Terms, Proof> {
  terms: z.ZodType<Terms>;
  /** It takes two operators whatever it comes to. */
  always?: boolean;
  /** Asks a party for what the decision rests on, before a transaction is begun: a party may be slow. @throws Problem */
  prove?(session: Session, terms: Terms): Promise<Proof>;
  /** Refuses what could not be done now; does nothing. @throws Problem */
  weigh(session: Session, tx: Tx, terms: Terms, proof: Proof): Promise<Weighed>;
  /** Locks what it is about, where its worth is not in its terms and so may change; absent where it is. */
  hold?(session: Session, tx: Tx, subject: string): Promise<void>;
  /** Carries it out, by the rules of then. @throws Problem */
  execute(session: Session, tx: Tx, terms: Terms, by: By, proof: Proof): Promise<Done>;
}

/** A decision after its approval: how it is proved again and carried out. */
export interface Executed {
  prove(session: Session, terms: unknown): Promise<unknown>;
  execute(session: Session, tx: Tx, terms: unknown, by: By, proof: unknown): Promise<Done>;
}

/** The same, whatever its terms: they are read by its own shape. */
export interface AnyDecisionKind extends Executed {
  always?: boolean;
  weigh(session: Session, tx: Tx, terms: unknown, proof: unknown): Promise<Weighed>;
  hold?(session: Session, tx: Tx, subject: string): Promise<void>;
}

/** A change of a configuration, which is asked for elsewhere: by a route, with its approval. */
export const change = <Terms, Proof = undefined>({
  terms: shape,
  prove,
  execute,
}: Pick<DecisionKind<Terms, Proof>, 'terms' | 'prove' | 'execute'>): Executed => ({
  prove: async (session, terms) => prove?.(session, read(shape, terms)),
  execute: async (session, tx, terms, by, proof) =>
    execute(session, tx, read(shape, terms), by, proof as Proof),
});

/** A change as it would be made now. */
export interface Judged {
  subject: string;
  tenantId: string;
  /** For the second operator. */
  changes: ConfigChange[];
  /** Dual control asks for a second operator. */
  isGuarded: boolean;
  /** As they are stored, with what the change rests on. */
  terms: object;
}

/** A change of a configuration or credential that an operator asks for. */
export interface GuardedChange<Terms> {
  terms: z.ZodType<Terms>;
  /** Refuses a change that is not possible now, and changes nothing. @throws Problem */
  judge(session: Session, tx: Tx, terms: Terms): Promise<Judged>;
  /** Carries it out, by the rules of then. @throws Problem */
  execute(session: Session, tx: Tx, terms: Terms): Promise<Done>;
}

/** The same, whatever its terms. */
export interface AnyGuardedChange extends Executed {
  judge(session: Session, tx: Tx, terms: unknown): Promise<Judged>;
}

export const guardedChange = <Terms>({
  terms: shape,
  judge,
  execute,
}: GuardedChange<Terms>): AnyGuardedChange => ({
  ...change({ terms: shape, execute }),
  judge: async (session, tx, terms) => judge(session, tx, read(shape, terms)),
});

export const kind = <Terms, Proof = undefined>({
  weigh,
  execute,
  prove,
  terms,
  ...rest
}: DecisionKind<Terms, Proof>): AnyDecisionKind => ({
  ...rest,
  ...change({ terms, prove, execute }),
  weigh: async (session, tx, given, proof) => weigh(session, tx, read(terms, given), proof as Proof),
});

/** @throws Problem 400 naming the field */
function read<Terms>(shape: z.ZodType<Terms>, terms: unknown): Terms {
  const parsed = shape.safeParse(terms, { reportInput: true });
  if (!parsed.success) throw firstProblem(parsed.error);
  return parsed.data;
}
