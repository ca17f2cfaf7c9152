import { commonLists } from '../../process/desk/common-lists';
import { storyOf, type Teller } from '../../process/desk/story';
import { findDestination } from '../../transfers/exchange/destinations/operations';
import { statusAt } from '../../transfers/exchange/destinations/record';
import { withdrawalDestinationView } from '../../transfers/exchange/destinations/view';

/** A withdrawal destination of a tenant, with the operators who added, waived or disabled it. */
export const tellWithdrawalDestination: Teller = async ({ database, now }, id, limit) => {
  const found = await findDestination(database, null, id);
  if (!found) return undefined;
  const { tenantId, updatedAt, addedBy, waivedAt, waivedBy, disabledAt, disabledBy } = found;
  const people = {
    addedBy,
    ...(waivedAt ? { waivedAt: waivedAt.toISOString(), waivedBy } : {}),
    ...(disabledAt ? { disabledAt: disabledAt.toISOString(), disabledBy } : {}),
  };
  const at = now();
  return storyOf(
    id,
    {
      what: 'withdrawal destination',
      tenantId,
      status: statusAt(found, at),
      since: updatedAt.toISOString(),
      record: { ...withdrawalDestinationView(found, at), ...people },
    },
    await commonLists(database, { id }, limit),
    limit,
  );
};
