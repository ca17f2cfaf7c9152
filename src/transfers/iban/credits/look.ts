import type { Services } from '../../../services';
import { advance, type Progress } from '../../engine/advance';
import type { Discovered } from '../../engine/kind';
import { transfersOfParty } from '../../engine/read';
import { askAgainAt, reportedName } from '../../engine/tables/reported-names';
import { ibanCreditKind } from './kind';

/**
 * One step of a payment's workflow. Makes the record where there is none, then advances it. Idempotent.
 * @param discover asks the bank about the payment
 * @throws PartyAway when the bank cannot be asked
 */
export async function lookAtCredit(
  services: Services,
  bankId: string,
  discover: (bankId: string) => Promise<Discovered>,
): Promise<Progress> {
  const { database, now, productClock } = services;
  const known = async () => (await transfersOfParty(database, 'bank', [bankId]))[0];
  const reported = () => reportedName(database, 'bank', bankId);
  const [before, toLookInto] = await Promise.all([known(), reported()]);
  if (!before || toLookInto) await discover(bankId);
  const found = before ?? (await known());
  if (found) return advance(services, ibanCreditKind, found.id);
  // The bank does not know the payment yet, or for so long that a break was opened.
  const waits = await reported();
  return {
    status: 'unknown',
    open: waits !== undefined,
    lookAt: waits ? productClock.toWorkflow(askAgainAt(waits, now())) : null,
  };
}
