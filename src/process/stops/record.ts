/**
 * Kinds of record that an operator can stop. `tenant_api` is a tenant whose cards still work. The record of each kind
 * says what a stop does.
 */
export const STOP_KINDS = ['tenant', 'tenant_api', 'user', 'card'] as const;
export type StopKind = (typeof STOP_KINDS)[number];

/** A stop in force. */
export interface Stop {
  kind: StopKind;
  /** Id of the stopped record. */
  subject: string;
  /** Null where the record belongs to no tenant. */
  tenantId: string | null;
  /** The operator's reason. Clients never see it. */
  reason: string;
  /** `operator:<name>`. */
  stoppedBy: string;
  at: Date;
}

/** An operator's reason for a stop or its end. */
export interface Stopping {
  reason: string;
  stoppedBy: string;
  at: Date;
}
