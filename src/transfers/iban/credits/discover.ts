import { newId } from '../../../kernel/ids';
import { UnreadableAnswer } from '../../../process/party-errors';
import type { Services } from '../../../services';
import type { Discovered } from '../../engine/kind';
import { openUnlessKnown } from '../../engine/open';
import { findByIban } from '../virtual-ibans/capability';
import { normalized } from '../virtual-ibans/iban-number';
import { ibanCreditKind } from './kind';
import { keepRemitter } from './remitters';
import { isAmount } from './rules';

/**
 * Makes a transfer of a payment that the bank has and no transfer names. The payment belongs to the holder of its
 * IBAN while the IBAN is enabled, else to nobody. The terms are what the bank reports now.
 * @throws PartyAway when the bank cannot be asked; UnreadableAnswer for an amount that cannot be booked
 */
export async function discoverCredit(
  services: Services,
  bankId: string,
): Promise<Discovered | 'unknown_to_party'> {
  const report = await services.parties.bank.ask(bankId);
  if (report === 'unknown_to_party') return report;
  const { word, remitter } = report;
  if (!isAmount(word)) throw new UnreadableAnswer('the amount of the payment cannot be booked');
  const { iban, amount, currency } = word;
  return services.database.transaction(async (tx) => {
    // An IBAN takes only EUR.
    const found = currency === 'EUR' ? await findByIban(tx, normalized(iban)) : undefined;
    const at = services.now();
    const id = newId('ibanCredit');
    const made = await openUnlessKnown(services, tx, ibanCreditKind, {
      id,
      status: 'received',
      terms: { iban, amount, currency },
      at,
      tenantId: found?.tenantId ?? null,
      accountId: found?.id ?? null,
      referenceId: newId(found ? 'reference' : 'suspense'),
      partyRef: bankId,
      orderedAt: at,
    });
    if (made && remitter) await keepRemitter(services, tx, id, remitter);
    return made ? 'kept' : 'known';
  });
}
