import type { RateLimit } from './rate-limit';

/** Who is calling: a tenant's credential, or the operator's. */
export interface Caller {
  /** The tenant that the credential belongs to. */
  tenantId: string;
  role: 'client' | 'admin';
  /** Whose records may be reached by id: the tenant's own, or every tenant's (null) for an admin. */
  reach: string | null;
  /** The number of the secret that it came with: which of a tenant's two it was. Empty on public endpoints. */
  credentialId: string;
}

/** What an operation is told of the request that asks for it. */
export interface Call {
  caller: Caller;
  requestId: string;
  /** The caller's `x-idempotency-key`; it travels with the operation to the webhooks that it causes. */
  idempotencyKey: string | undefined;
}

/** A credential that was verified, and the limit of its tenant. */
export interface Authenticated {
  caller: Caller;
  rateLimit: RateLimit;
}

/** A caller; `disabled` after the right secret of a disabled tenant; undefined for any other credential. */
export type Verdict = Authenticated | 'disabled' | undefined;
