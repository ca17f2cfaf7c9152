import { z } from 'zod';
import type { Sql, Tx } from '../../kernel/db/database';
import type { IdKind } from '../../kernel/ids';
import type { Decimal } from '../../kernel/money/money';
import type { Permission } from '../../kernel/permissions';
import type { ConfigChange } from '../approvals/operations';

/** A changed field, before and after, for people: `{ field: 'held', from: '10.00 EUR', to: null }`. */
export type Effect = ConfigChange;

/** Facts of a subject by name, as plain values. Facts hold no personal data. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>;

/** The record that a decision concerns. */
export interface SubjectSpec<Subject> {
  /** `payout`, `capability`. */
  noun: string;
  /** Kinds of its ids. Records of these kinds offer the decision. Empty where its id has no prefix. */
  kinds: readonly IdKind[];
  /** The only id that there is: `installation`. No face asks for it. */
  only?: string;
  /** Reads it without a lock. Undefined when there is none. */
  read(sql: Sql, id: string): Promise<Subject | undefined>;
  /** Locks it to the end of the transaction. */
  lock(tx: Tx, id: string): Promise<Subject | undefined>;
  /** Locks all operators before the deciding one, because the decision changes operators. */
  lockFirst?(tx: Tx): Promise<void>;
  /** The id, for subjects that a person may also name otherwise. The audit log and stored approvals hold the id. */
  idOf?(subject: Subject): string;
  tenantOf(subject: Subject): string | null;
}

/** A decision on a subject, as it is judged. */
export interface Judged<Subject, Input, Proof = undefined> {
  id: string;
  subject: Subject;
  input: Input;
  at: Date;
  /** `operator:<name>`: who asks for it, or who approves it now. */
  actor: string;
  /** The evidence of {@link DecisionSpec.prove}. */
  proof: Proof;
  /**
   * The stored form of {@link DecisionSpec.secret}, or {@link DecisionSpec.sealed}. Absent in a preview and while it is
   * weighed.
   */
  secret?: object | undefined;
}

/** A secret that the installation makes for a decision, such as a client's. */
export interface MadeSecret {
  /** Sealed, for `execute` and for a stored approval. */
  stored: object;
  /** For the operator who asks. It is shown once, and no idempotency key keeps it. */
  shown: object;
}

/** The subject of a decision that creates a record or changes the installation. */
export const installation: SubjectSpec<object> = {
  noun: 'installation',
  kinds: [],
  only: 'installation',
  read: async () => ({}),
  lock: async () => ({}),
  tenantOf: () => null,
};

/** Weight of a decision against the limits of decisions made alone (src/process/limits). */
export interface Weighed {
  amount: Decimal;
  currency: string;
  /** Whether the decisions of one person on the subject add up for ever (a transfer), or in a UTC day (an account). */
  ever: boolean;
}

/** The deciding operator, and the reason. */
export interface By {
  /** `operator:<name>`. */
  decidedBy: string;
  reason: string | null;
}

/** A further entry of the audit log, about a record that the decision has changed beside its subject. */
export interface AlsoDone {
  action: string;
  subject: string;
  tenantId: string | null;
  after: object;
}

export interface Done {
  /** Entries about other records: an account that the decision has opened beside. */
  also?: readonly AlsoDone[];
  /** For the audit log: states, amounts and names of fields. Never personal data. */
  before?: object;
  after: object;
  /** For the operator, as JSON. */
  result: object;
  /** The audit log names this in place of the subject: a record that was made, or the tenant of an input. */
  about?: { id: string; tenantId: string | null };
}

interface UnderDualControl<Subject, Input, Proof> {
  underDualControl(tx: Tx, judged: Judged<Subject, Input, Proof>): boolean | Promise<boolean>;
}

export interface DecisionSpec<Subject, Input, Proof = undefined> {
  /** Noun and verb: `payout.approve`. Stored approvals and the audit log name it, so that it never changes. */
  name: string;
  /** The effect in words, for people. */
  title: string;
  permission: Permission;
  subject: SubjectSpec<Subject>;
  /** Strict object. A stored approval keeps the input as JSON, as it was given, or as {@link kept} returns it. */
  input?: z.ZodType<Input>;
  /** A reason is required unless this is `optional`. */
  reason?: 'optional';
  /** Whether it takes two operators at any amount: always, or under dual control for the inputs that the function names. */
  takesTwo?: 'always' | UnderDualControl<Subject, Input, Proof>;
  /** The facts that the operator has seen, and judged by. When one changes, the decision is 409 `version_conflict`. */
  restsOn(subject: Subject, input: Input): Facts;
  /**
   * Asks a party for evidence before the transaction begins, because a party may be slow. `secret` is that of a stored
   * approval. @throws Problem
   */
  prove?(asked: { id: string; input: Input; secret?: object | undefined }): Promise<Proof>;
  /** Makes the secret that the decision gives out. */
  secret?(judged: Judged<Subject, Input, Proof>): Promise<MadeSecret>;
  /** Seals the credentials of the input, for a stored approval. */
  sealed?(judged: Judged<Subject, Input, Proof>): Promise<object>;
  /**
   * The input as a stored approval keeps it: with the defaults of the moment, and without credentials. Absent: as it was
   * given.
   */
  kept?(tx: Tx, judged: Judged<Subject, Input, Proof>): Promise<object>;
  /**
   * Judges the decision by the present rules. Absent: one operator decides at any amount. Changes nothing.
   * @throws Problem of the domain
   */
  weigh?(tx: Tx, judged: Judged<Subject, Input, Proof>): Promise<Weighed>;
  /** The effects of the decision, in numbers. Changes nothing. @throws Problem as {@link execute} */
  preview(tx: Tx, judged: Judged<Subject, Input, Proof>): Promise<Effect[]>;
  /** Carries it out, by the rules at that time, under the lock of the subject. @throws Problem of the domain */
  execute(tx: Tx, judged: Judged<Subject, Input, Proof>, by: By): Promise<Done>;
}

/** A decision on any subject. */
export interface Decision extends DecisionSpec<unknown, unknown, unknown> {
  input: z.ZodType;
}

/** Declares what operators may decide. Locks, two people, limits, audit and idempotency are the desk's (src/desk). */
export const decision = <Subject, Input = Record<string, never>, Proof = undefined>({
  input = z.strictObject({}) as z.ZodType as z.ZodType<Input>,
  ...spec
}: DecisionSpec<Subject, Input, Proof>): Decision => ({ ...spec, input });
