import type { Services } from '../../services';
import type { Clearance, NewDecision } from '../engine/kind';
import type { Situation } from '../engine/record';
import { resultsOf } from './ask';
import { noteScreenings } from './operations';
import { type Result, SCREENING_REFUSED, type Screened, type Screening, screeningKey } from './record';
import { findScreening } from './store';

/** A payment to an address on a chain. */
export interface ToScreen extends Pick<Screened, 'chain' | 'asset' | 'address' | 'accountId' | 'amount'> {
  /** Id of the transfer. */
  id: string;
  tenantId: string | null;
  /** Whether the transfer, read under its lock, still waits for its order. */
  waits(situation: Situation): boolean;
}

/**
 * Screens the destination of a payment before its order. Asks again for a screening that is known, because the order may
 * have waited since.
 * @returns `wait` while the party has not decided; the decision that fails the transfer when the party refuses
 */
export async function clearDestination(
  services: Services,
  { id, tenantId, waits, ...to }: ToScreen,
): Promise<Clearance> {
  const { database, now, parties } = services;
  if (!parties.screening.isOn) return { verdict: 'clear' };
  const key = screeningKey(id);
  const known = resultIn(await findScreening(database, key));
  const screened: Screened = {
    key,
    direction: 'outbound',
    ...to,
    ownAddress: null,
    txHash: null,
    ordinal: null,
    blockAt: null,
  };
  const [result] = await resultsOf(services, [{ screened, known }]);
  if (result === undefined) throw new Error('a question without a result');
  return {
    verdict: verdictOn(result, id),
    keep: (tx, situation) =>
      noteScreenings(tx, [{ screened, result, tenantId, subject: id, waits: waits(situation), at: now() }]),
  };
}

const verdictOn = ({ status }: Result, id: string): Clearance['verdict'] =>
  status === 'refused' ? newRefusal(id) : status === 'cleared' ? 'clear' : 'wait';

/** The decision that fails a payment whose destination is refused, before its order. */
export const newRefusal = (id: string): NewDecision => ({
  kind: 'refused',
  data: { key: id, code: SCREENING_REFUSED },
});

function resultIn(known: Screening | undefined): Result | undefined {
  if (!known) return undefined;
  const { status, reason, score, version } = known;
  return {
    status,
    ...(reason === null ? {} : { reason }),
    ...(score === null ? {} : { score }),
    ...(version === null ? {} : { version }),
  };
}
