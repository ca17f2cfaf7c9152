import type { InternalAccount } from '../../kernel/ledger/entries';
import type { Decimal } from '../../kernel/money/money';
import type { SettledParty } from '../../kernel/parties';

/**
 * Moves that an operator books on a party's account.
 * `funding`: we paid the party.
 * `withdrawal`: the party paid us.
 * `write-off`: a payment to us was short.
 * `surplus`: a payment to us was too high.
 */
export const SETTLEMENT_MOVES = ['funding', 'withdrawal', 'write-off', 'surplus'] as const;
export type SettlementMoveKind = (typeof SETTLEMENT_MOVES)[number];

export interface SettlementMove {
  party: SettledParty;
  currency: string;
  /** Positive for every kind of move. */
  amount: Decimal;
  as: SettlementMoveKind;
}

/** The other account of each move, and whether the party then has more of our money. */
export const BOOKED: Record<SettlementMoveKind, { other: InternalAccount; isMore: boolean }> = {
  funding: { other: 'treasury', isMore: true },
  withdrawal: { other: 'treasury', isMore: false },
  'write-off': { other: 'losses', isMore: false },
  surplus: { other: 'losses', isMore: true },
};
