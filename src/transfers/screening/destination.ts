import type { Services } from '../../services';
import type { NewDecision } from '../engine/kind';
import { resultsOf } from './ask';
import { noteScreenings } from './operations';
import { SCREENING_REFUSED, type Screened, screeningKey } from './record';
import { findScreening } from './store';

/** A payment to an address on a chain. */
export interface ToScreen extends Pick<Screened, 'chain' | 'asset' | 'address' | 'amount'> {
  /** Id of the transfer. */
  id: string;
  tenantId: string | null;
}

/**
 * Screens the destination of a payment before its order. Asks again for a screening that is known, because the order may
 * have waited since.
 * @returns `wait` while the party has not decided; the decision that fails the transfer when the party refuses
 */
export async function clearDestination(
  services: Services,
  { id, tenantId, ...to }: ToScreen,
): Promise<'clear' | 'wait' | NewDecision> {
  const { database, now, parties } = services;
  if (!parties.screening.isOn) return 'clear';
  const key = screeningKey(id);
  const before = await findScreening(database, key);
  const known = before && {
    status: before.status,
    ...(before.reason === null ? {} : { reason: before.reason }),
    ...(before.score === null ? {} : { score: before.score }),
    ...(before.version === null ? {} : { version: before.version }),
  };
  const screened: Screened = {
    key,
    direction: 'outbound',
    ...to,
    ownAddress: null,
    txHash: null,
    ordinal: null,
  };
  const [result] = await resultsOf(services, [{ screened, known }]);
  if (result === undefined) throw new Error('a question without a result');
  await database.transaction(async (tx) =>
    noteScreenings(tx, [{ screened, result, tenantId, subject: id, at: now() }]),
  );
  if (result.status === 'refused') return { kind: 'refused', data: { key: id, code: SCREENING_REFUSED } };
  return result.status === 'cleared' ? 'clear' : 'wait';
}
