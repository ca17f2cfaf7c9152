/** Kinds that an operator can stop; `tenant_api` is a tenant whose cards go on. Each kind's own record says what a stop does. */
export const STOP_KINDS = ['tenant', 'tenant_api', 'user', 'card'] as const;
export type StopKind = (typeof STOP_KINDS)[number];

/** A stop that stands. */
export interface Stop {
  kind: StopKind;
  /** The id of what is stopped. */
  subject: string;
  /** Whose it is; null where it is no tenant's. */
  tenantId: string | null;
  /** In the operator's words: for operators alone, a client is never told. */
  reason: string;
  /** `operator:<name>`. */
  stoppedBy: string;
  at: Date;
}

/** What an operator says of a stop, or of its end. */
export interface Stopping {
  reason: string;
  stoppedBy: string;
  at: Date;
}
