import type { TenantSettings } from './settings';

export interface Tenant {
  id: string;
  name: string;
  role: 'client' | 'admin';
  status: 'active' | 'disabled';
  settings: TenantSettings;
}

/** A tenant with the secrets that authenticate now, as one statement saw them. */
export interface TenantAccess {
  tenant: Tenant;
  /** Moves with every change of the tenant or its secrets (migration 0090). */
  version: string;
  /** `leftMs`: until it ends, by the database's clock; null for the current one. */
  secrets: { id: string; hash: Buffer; leftMs: number | null }[];
}

/** A secret by its number; `endsAt` is null for the current one. */
export interface LiveSecret {
  id: string;
  endsAt: Date | null;
}
