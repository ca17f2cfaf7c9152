import { newId } from '../../../../kernel/ids';
import { ZERO } from '../../../../kernel/money/money';
import type { Card } from '../../../cards/record';
import { isClosed } from '../../../cards/rules';
import type { CardTransaction, DeclineReason } from '../../record';
import { accepted, type Board } from '../board';
import { feeEntries } from '../fee-entries';
import { type AuthorizationRequest, brokenLimit } from '../limits/limits';
import type { Spend } from './conversion';

/** Records a decline. The master account pays the programme's decline fee, even below zero. */
export function decline(
  board: Board,
  card: Card,
  spend: Spend,
  declineReason: DeclineReason,
): CardTransaction {
  const { amount, currency, billing, merchant } = spend;
  const referenceId = newId('reference');
  const fee = declineReason === 'processing_error' ? ZERO : board.programme(card.bin).fees.decline;
  const accountEntries = feeEntries(card.masterAccountId, 'fee/decline_fee', fee, card.currency, referenceId);
  return accepted(
    board.record(card, {
      type: 'decline',
      amount,
      currency,
      billingAmount: billing,
      referenceId,
      merchant,
      fee,
      accountEntries,
      declineReason,
      mayOverdraw: true,
    }),
  );
}

/** Why a card may not spend an amount at a merchant; undefined when it may. */
export function declineReason(
  board: Board,
  card: Card,
  asked: AuthorizationRequest,
): DeclineReason | undefined {
  if (isClosed(card.status)) return 'card_closed';
  if (card.status === 'pending' || card.status === 'failed') return 'card_not_active';
  if (card.userBlocked) return 'user_blocked';
  if (card.status === 'frozen' || card.tenantStopped) return 'card_frozen';
  const broken = brokenLimit(asked, board.spending.levels(card, board.programme(card.bin)));
  return broken ?? (asked.authentication === 'invalid' ? 'authentication_required' : undefined);
}
