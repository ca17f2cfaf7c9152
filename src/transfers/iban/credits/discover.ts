import { newId } from '../../../kernel/ids';
import { UnreadableAnswer } from '../../../process/party-errors';
import type { Services } from '../../../services';
import type { Discovered } from '../../engine/kind';
import { openTransfer } from '../../engine/open';
import { findByIban } from '../virtual-ibans/capability';
import { normalized } from '../virtual-ibans/iban-number';
import { ibanCreditKind } from './kind';
import { isAmount } from './rules';

/**
 * A payment of the bank's that no transfer has: it becomes one, of whoever has the IBAN while it is enabled, or of nobody's.
 * What is credited is what the bank tells of it now.
 * @throws PartyAway nothing is known now; UnreadableAnswer the bank tells of an amount that is none
 */
export async function discoverCredit(
  services: Services,
  bankId: string,
): Promise<Discovered | 'unknown_to_party'> {
  const word = await services.parties.bank.ask(bankId);
  if (word === 'unknown_to_party') return word;
  if (!isAmount(word)) throw new UnreadableAnswer('the bank tells of an amount that is none');
  const { iban, amount, currency } = word;
  return services.database.transaction(async (tx) => {
    // An IBAN takes EUR and nothing else.
    const found = currency === 'EUR' ? await findByIban(tx, normalized(iban)) : undefined;
    const at = services.now();
    const made = await openTransfer(services, tx, ibanCreditKind, {
      ...{ id: newId('ibanCredit'), status: 'received', terms: { iban, amount, currency }, at },
      ...{ tenantId: found?.tenantId ?? null, accountId: found?.id ?? null },
      ...{ referenceId: newId(found ? 'reference' : 'suspense'), partyRef: bankId, orderedAt: at },
    });
    return made ? 'kept' : 'known';
  });
}
