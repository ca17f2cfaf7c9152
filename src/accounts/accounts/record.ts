import type { Decimal } from '../../kernel/money/money';

export const OWNER_TYPES = ['client', 'user'] as const;
export const ACCOUNT_STATUSES = ['active', 'closed'] as const;

export interface Account {
  id: string;
  tenantId: string;
  /** `client` for a master account. */
  ownerType: (typeof OWNER_TYPES)[number];
  userId: string | null;
  currency: string;
  status: (typeof ACCOUNT_STATUSES)[number];
  createdAt: Date;
  updatedAt: Date;
}

/** A transfer between two accounts. Its two account transactions have its reference. */
export interface Transfer {
  referenceId: string;
  tenantId: string;
  fromAccountId: string;
  toAccountId: string;
  amount: Decimal;
  currency: string;
  description: string | null;
  createdAt: Date;
}
