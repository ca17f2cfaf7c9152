import type { Decimal } from '../../kernel/money/money';

/** Money that somebody would move by hand, without a second person (decisions part 2, Two people for much money). */
export interface Alone {
  /** The account or transfer that it is about. */
  subject: string;
  amount: Decimal;
  currency: string;
  /** `operator:<name>`, or an admin's client id. */
  decidedBy: string;
  at: Date;
  /** A transfer's money is one sum for as long as it lives; an account's is one of each UTC day. */
  ever: boolean;
  /** A person's decisions of a UTC day are a sum, too, whatever they are about. An admin's program serves every account. */
  person: boolean;
}

/** What it comes to with what was decided alone before. */
export interface Weight {
  alone: Alone;
  /** In force now, in any currency; null where no process has ever told one. */
  limit: Decimal | null;
  /** The larger sum, this one in it. */
  sum: Decimal;
  /** The sum is above the limit, or there is none. */
  takesTwo: boolean;
}
