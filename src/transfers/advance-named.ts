import { progressUnlessLost, RecordLost } from '../process/lost-record';
import type { Services } from '../services';
import { advance, type Progress } from './engine/advance';
import { findKind } from './kinds';

/**
 * Takes the step of a transfer whose workflow serves several kinds. The record tells its kind, so a lost record has none: people are
 * told, and its workflow ends.
 * @param what the kinds in one word
 */
export const advanceNamed = (services: Services, what: string, id: string): Promise<Progress> =>
  progressUnlessLost(services.database, async () => {
    const kind = await findKind(services.database, id);
    if (!kind) throw new RecordLost(what, id);
    return advance(services, kind, id);
  });
