import type { Decimal } from '../../kernel/money/money';

/** Money that somebody would move by hand, without a second person (decisions part 2, Two people for much money). */
export interface Alone {
  /** The account or transfer that it is about. */
  subject: string;
  tenantId: string | null;
  amount: Decimal;
  currency: string;
  /** `operator:<name>`, or an admin's client id: all secrets of an admin are one credential. */
  decidedBy: string;
  at: Date;
  /** The subject is a transfer, whose money is one sum for as long as it lives. */
  ever: boolean;
}

/** The limits of the installation, in its base currency. */
export interface Limits {
  base: string;
  /** Of one credential and UTC day; of one transfer for ever, too. */
  credential: Decimal;
  /** Of one tenant and UTC day. */
  tenant: Decimal;
  /** Of all tenants and a UTC day. */
  installation: Decimal;
}

/** Sums of what was decided alone, this decision in it, in the base currency. */
export type Sums = Record<SumName, Decimal>;
export type SumName = 'transfer' | 'credential' | 'tenant' | 'installation';

/** Why a decision takes two people. */
export type TakesTwo =
  /** No process has told the limits yet. */
  | { why: 'no_limit' }
  /** There is no fresh rate to the base currency, or the base currency has changed today. */
  | { why: 'no_rate' }
  /** It is of a kind that takes two at any amount. */
  | { why: 'always' }
  | { why: 'above'; of: SumName; sum: Decimal; limit: Decimal; base: string };

/** What it comes to with what was decided alone before. */
export interface Weight {
  alone: Alone;
  /** In force now. */
  limits: Limits | null;
  /** In the base currency, at the rate that is stored with it; null without one. */
  worth: { amount: Decimal; rate: Decimal } | null;
  /** Null: one person may decide it. */
  takesTwo: TakesTwo | null;
}
