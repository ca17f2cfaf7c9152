import type { z } from 'zod';
import type { Tx } from '../../kernel/db/database';
import type { Decimal } from '../../kernel/money/money';
import { firstProblem } from '../../kernel/wire/schemas';
import type { ChangeEntry, Session } from '../session';

/** Services of the decisions: of a run of the command line, or of the product's process. */
export type KindServices = Pick<Session, 'database' | 'keyring' | 'commands' | 'sandbox' | 'now'>;

/** Weight of an operator's decision, by the present rules. */
export interface Weighed {
  amount: Decimal;
  currency: string;
  /** The record that the decision concerns. */
  subject: string;
  tenantId: string | null;
  /**
   * Whether earlier decisions of one person on the subject count for ever (a transfer), or only in this UTC day (an
   * account).
   */
  ever: boolean;
  /**
   * Terms as they are stored, with amounts as text and defaults filled in, so that the approved decision is the judged
   * one.
   */
  terms: object;
}

export interface Done {
  entry: ChangeEntry;
  /** Result of the decision, as `--json` prints it. */
  result: unknown;
}

/** Who decided, and why. */
export interface By {
  reason: string;
  decidedBy: string;
}

/** A decision that needs two operators above the installation's limit (decisions part 2). */
export interface DecisionKind<Terms, Proof> {
  terms: z.ZodType<Terms>;
  /** Whether it needs two operators for any amount. */
  always?: boolean;
  /** Asks a party for evidence before the transaction begins, because a party may be slow. @throws Problem */
  prove?(session: KindServices, terms: Terms): Promise<Proof>;
  /** Refuses a decision that is not possible now. Changes nothing. @throws Problem */
  weigh(session: KindServices, tx: Tx, terms: Terms, proof: Proof): Promise<Weighed>;
  /** Locks the subject when its amount is not part of the terms and may change. */
  hold?(session: KindServices, tx: Tx, subject: string): Promise<void>;
  /** Carries the decision out, by the rules at that time. @throws Problem */
  execute(session: KindServices, tx: Tx, terms: Terms, by: By, proof: Proof): Promise<Done>;
}

/** Execution of an approved decision: its evidence is collected again, then it is carried out. */
export interface Executed {
  prove(session: KindServices, terms: unknown): Promise<unknown>;
  execute(session: KindServices, tx: Tx, terms: unknown, by: By, proof: unknown): Promise<Done>;
}

/** A decision kind of any terms, which it parses by its own schema. */
export interface AnyDecisionKind extends Executed {
  always?: boolean;
  weigh(session: KindServices, tx: Tx, terms: unknown, proof: unknown): Promise<Weighed>;
  hold?(session: KindServices, tx: Tx, subject: string): Promise<void>;
}

/** A change of a configuration, which a route requests together with its approval. */
export const change = <Terms, Proof = undefined>({
  terms: shape,
  prove,
  execute,
}: Pick<DecisionKind<Terms, Proof>, 'terms' | 'prove' | 'execute'>): Executed => ({
  prove: async (session, terms) => prove?.(session, read(shape, terms)),
  execute: async (session, tx, terms, by, proof) =>
    execute(session, tx, read(shape, terms), by, proof as Proof),
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
