/** What an operator may do. Each list, record, decision and figure names the permission that it needs. */
export const PERMISSIONS = ['view', 'review', 'money', 'chain', 'security'] as const;
export type Permission = (typeof PERMISSIONS)[number];
