/**
 * Permissions of an operator, at the desk and by his credentials of the HTTP contract. Each list, record, decision and figure
 * of the desk names the permission that it needs, and so does each operation that an admin may call.
 */
export const PERMISSIONS = ['view', 'review', 'money', 'chain', 'security'] as const;
export type Permission = (typeof PERMISSIONS)[number];
