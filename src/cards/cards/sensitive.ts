import { audit } from '../../kernel/audit/audit';
import type { Call } from '../../kernel/caller';
import { forbidden, unavailable } from '../../kernel/errors';
import type { SensitiveCard } from '../../parties/card-processor/word';
import { PartyAway, PartyRefused } from '../../process/party-errors';
import type { Services } from '../../services';
import { requireCard } from './operations';
import { assertLive } from './rules';

/**
 * The card's number and CVV, requested from the processor for this response only. The audit log records the request
 * before the response is sent. An operator's credential is refused.
 * @throws Problem 403 for an admin, and where the processor does not show the number, 404, 409 `card_not_active` before the card is issued, `card_closed`, 503
 * `unavailable`
 */
export async function revealCard(
  { database, parties }: Pick<Services, 'database' | 'parties'>,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
  id: string,
): Promise<SensitiveCard> {
  if (caller.role === 'admin') throw forbidden();
  const card = await requireCard(database, caller.reach, id);
  assertLive(card);
  if (card.processorReference === null) throw new Error('an issued card has no reference at the processor');
  const { cardNumber, cvv, expiryMonth, expiryYear } = await parties.cardProcessor
    .sensitive(card.processorReference)
    .catch((error: unknown) => {
      if (error instanceof PartyRefused)
        throw forbidden('The card processor does not show the number of this card.');
      throw error instanceof PartyAway
        ? unavailable('The card processor cannot be reached just now.')
        : error;
    });
  const { tenantId } = card;
  await audit(database, { caller, requestId, action: 'cards.sensitive', subject: card.id, tenantId });
  return { cardNumber, cvv, expiryMonth, expiryYear };
}
