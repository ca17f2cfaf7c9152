import type { Services } from '../../../services';
import { advance, type Progress } from '../../engine/advance';
import { transfersOfParty } from '../../engine/read';
import { ibanCreditKind } from './kind';

/** The bank knows no such payment, and there is no record of one. */
const UNKNOWN: Progress = { status: 'unknown', open: false, lookAt: null };

/**
 * The step of a payment's workflow, which begins before there is a record: it makes one, and advances it. Done twice, it has
 * been done once.
 * @param discover asks the bank what it is
 * @throws PartyAway nothing is known now
 */
export async function lookAtCredit(
  services: Services,
  bankId: string,
  discover: (bankId: string) => Promise<unknown>,
): Promise<Progress> {
  const known = async () => (await transfersOfParty(services.database, 'bank', [bankId]))[0];
  if (!(await known())) await discover(bankId);
  const found = await known();
  return found ? advance(services, ibanCreditKind, found.id) : UNKNOWN;
}
