import type { Permission } from './permissions';
import type { RateLimit } from './rate-limit';
import type { Scope } from './scopes';

/** The authenticated caller of a request: a tenant's credential or an admin's. */
export interface Caller {
  /** The tenant that the credential belongs to. */
  tenantId: string;
  role: 'client' | 'admin';
  /** The tenant whose records can be reached by id. Null for an admin, who reaches those of every tenant. */
  reach: string | null;
  /** The number of the secret that was used, because a tenant may have two. Empty on public endpoints. */
  credentialId: string;
  /** `operator:<name>`: the operator to whom an admin's credential belongs. Absent for a credential that names nobody. */
  operator?: string;
  /** Permissions of the operator, at the desk or by his credential. Absent for every other caller. */
  permissions?: readonly Permission[];
  /** Proof of an operator's session at the desk. Absent for every other caller. */
  session?: Buffer;
}

/** The deciding person, as decisions and the audit log name him: the operator, or the tenant of a credential that names nobody. */
export const deciderOf = ({ operator, tenantId }: Pick<Caller, 'operator' | 'tenantId'>): string =>
  operator ?? tenantId;

/** The part of a request that an operation needs. */
export interface Call {
  caller: Caller;
  requestId: string;
  /** The caller's `x-idempotency-key`. Webhooks that the operation causes carry it. */
  idempotencyKey: string | undefined;
}

/** A verified credential with its tenant's rate limit. */
export interface Authenticated {
  caller: Caller;
  rateLimit: RateLimit;
  /** Scopes of the secret. Null for all. */
  scopes: readonly Scope[] | null;
}

/** `disabled` for the right secret of a disabled tenant, undefined for any other credential that is not valid. */
export type Verdict = Authenticated | 'disabled' | undefined;
