import type { Decimal } from '../../kernel/money/money';

/**
 * A manual movement of money that one person may decide alone, up to limits (decisions part 2, Two people for much
 * money).
 */
export interface Alone {
  /** The account or transfer that it concerns. */
  subject: string;
  tenantId: string | null;
  amount: Decimal;
  currency: string;
  /** `operator:<name>`, or an admin's client id. All secrets of an admin are one credential. */
  decidedBy: string;
  at: Date;
  /** The subject is a transfer, whose decisions add up over its whole life. */
  ever: boolean;
}

/** The limits of the installation, in its base currency. */
export interface Limits {
  base: string;
  /** Limit of one credential on a UTC day, and of one transfer over its life. */
  credential: Decimal;
  /** Limit of one tenant on a UTC day. */
  tenant: Decimal;
  /** Limit of all tenants together on a UTC day. */
  installation: Decimal;
}

/** Sums of the decisions made alone, in the base currency. */
export type Sums = Record<SumName, Decimal>;
export type SumName = 'transfer' | 'credential' | 'tenant' | 'installation';

/** Why a decision needs two people. */
export type TakesTwo =
  /** No process has stored the limits yet. */
  | { why: 'no_limit' }
  /** A fresh rate to the base currency is missing, or the base currency has changed today. */
  | { why: 'no_rate' }
  /** The kind of decision needs two people at any amount. */
  | { why: 'always' }
  | { why: 'above'; of: SumName; sum: Decimal; limit: Decimal; base: string };

/** A decision compared with the limits and with earlier decisions. */
export interface Weight {
  alone: Alone;
  limits: Limits | null;
  /** In the base currency, with the stored rate. Null without a rate. */
  worth: { amount: Decimal; rate: Decimal } | null;
  /** Null: one person may decide it. */
  takesTwo: TakesTwo | null;
}
