import type { Permission } from '../../kernel/permissions';
import type { Scope } from '../../kernel/scopes';
import type { TenantSettings } from './settings';

export interface Tenant {
  id: string;
  name: string;
  role: 'client' | 'admin';
  status: 'active' | 'disabled';
  settings: TenantSettings;
  /** The operator to whom an admin belongs. Null: it names nobody. */
  operatorId: string | null;
}

/** The operator of an admin, as far as its credentials depend on him. */
export interface OwningOperator {
  name: string;
  permissions: Permission[];
  isDisabled: boolean;
}

/** The name of a tenant's first secret, which signs its webhooks. */
export const MAIN = 'main';

/** The narrowing of a secret. Null: everything, from anywhere. */
export interface SecretTerms {
  scopes: readonly Scope[] | null;
  /** Addresses and networks. */
  addresses: readonly string[] | null;
}

/** A tenant with its valid secrets, read by one statement. */
export interface TenantAccess {
  tenant: Tenant;
  /** Null for a tenant, and for an admin that names nobody. */
  operator: OwningOperator | null;
  /** Changes with every change of the tenant, its secrets or its operator. */
  version: string;
  /** `leftMs`: milliseconds until the secret ends, by the database's clock; null for a current secret. */
  secrets: (SecretTerms & { id: string; hash: Buffer; leftMs: number | null })[];
}

/** A secret by its number. `endsAt` is null for the current secret of its name. */
export interface LiveSecret extends SecretTerms {
  id: string;
  name: string;
  createdAt: Date;
  endsAt: Date | null;
}
