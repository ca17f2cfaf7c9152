import type { TenantSettings } from './settings';

export interface Tenant {
  id: string;
  name: string;
  role: 'client' | 'admin';
  status: 'active' | 'disabled';
  settings: TenantSettings;
}

/** A tenant with its valid secrets, read by one statement. */
export interface TenantAccess {
  tenant: Tenant;
  /** Changes with every change of the tenant or its secrets (migration 0090). */
  version: string;
  /** `leftMs`: milliseconds until the secret ends, by the database's clock; null for the current secret. */
  secrets: { id: string; hash: Buffer; leftMs: number | null }[];
}

/** A secret by its number. `endsAt` is null for the current secret. */
export interface LiveSecret {
  id: string;
  endsAt: Date | null;
}
