import type { Services } from '../../../services';
import { advance, type Progress } from '../../engine/advance';
import type { Discovered } from '../../engine/kind';
import { transfersOfParty } from '../../engine/read';
import { askAgainAt, toldName } from '../../engine/tables/told-names';
import { ibanCreditKind } from './kind';

/**
 * The step of a payment's workflow, which begins before there is a record: it makes one, and advances it. Done twice, it has
 * been done once.
 * @param discover asks the bank what it is
 * @throws PartyAway nothing is known now
 */
export async function lookAtCredit(
  services: Services,
  bankId: string,
  discover: (bankId: string) => Promise<Discovered>,
): Promise<Progress> {
  const { database, now } = services;
  const known = async () => (await transfersOfParty(database, 'bank', [bankId]))[0];
  const told = () => toldName(database, 'bank', bankId);
  const [before, toLookInto] = await Promise.all([known(), told()]);
  if (!before || toLookInto) await discover(bankId);
  const found = before ?? (await known());
  if (found) return advance(services, ibanCreditKind, found.id);
  // The bank does not know what it told of: yet, or for so long that a person was told.
  const waits = await told();
  return {
    status: 'unknown',
    open: waits !== undefined,
    lookAt: waits ? askAgainAt(waits, now()).getTime() : null,
  };
}
