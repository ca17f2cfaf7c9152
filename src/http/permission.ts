import type { Caller } from '../kernel/caller';
import { forbidden } from '../kernel/errors';
import type { Permission } from '../kernel/permissions';
import type { Route } from './route';

/**
 * Permission for changes by clients' operations, by their tag, when an admin calls them. The route may name another
 * permission. A route with the role `admin` must name one.
 */
const BY_TAG: Record<string, Permission> = {
  Accounts: 'money',
  Bins: 'security',
  Cardholders: 'review',
  Cards: 'money',
  Clients: 'security',
  Deposits: 'money',
  Exchange: 'money',
  KYC: 'review',
  Networks: 'chain',
  Payouts: 'money',
  Sandbox: 'money',
  Transactions: 'money',
  Users: 'review',
  'Virtual IBAN': 'money',
  Wallets: 'chain',
  Webhooks: 'security',
};

/**
 * The permission that an admin's credential needs for an operation. Reading takes `view`, and reading personal data
 * `review`.
 * @throws Error for an operation without a permission, when the API is composed
 */
export function permissionOf(route: Route): Permission {
  if (route.permission) return route.permission;
  if (route.role === 'admin') throw without(route);
  if (route.method === 'GET') return route.personal ? 'review' : 'view';
  const found = BY_TAG[route.tag];
  if (!found) throw without(route);
  return found;
}

const without = ({ method, path }: Route): Error =>
  new Error(`${method} ${path} names no permission for admins`);

/** Checks what an operator may do by his credential. @throws Problem 403 naming the missing permission */
export function assertPermitted({ permissions }: Caller, needed: Permission): void {
  if (permissions && !permissions.includes(needed)) throw forbidden(`It takes the permission ${needed}.`);
}
