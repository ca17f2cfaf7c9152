import type { InternalAccount } from '../../kernel/ledger/entries';
import type { SettledParty } from '../../kernel/ledger/party-accounts';
import type { Decimal } from '../../kernel/money/money';

/**
 * What an operator books on the account of a party: money that we have paid it, or that it has paid us; a payment that came short, and
 * one that came with too much.
 */
export const SETTLEMENT_MOVES = ['funding', 'withdrawal', 'write-off', 'surplus'] as const;
export type SettlementMoveKind = (typeof SETTLEMENT_MOVES)[number];

export interface SettlementMove {
  party: SettledParty;
  currency: string;
  /** Greater than zero, whichever way it goes. */
  amount: Decimal;
  as: SettlementMoveKind;
}

/** Which account the money goes to or comes from, and whether the party has more of ours by it. */
export const BOOKED: Record<SettlementMoveKind, { other: InternalAccount; isMore: boolean }> = {
  funding: { other: 'treasury', isMore: true },
  withdrawal: { other: 'treasury', isMore: false },
  'write-off': { other: 'losses', isMore: false },
  surplus: { other: 'losses', isMore: true },
};
