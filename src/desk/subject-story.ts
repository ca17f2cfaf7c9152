import { commonLists } from '../process/desk/common-lists';
import { storyOf, type Teller } from '../process/desk/story';

/** Any other subject of an audit line or a break: a party's object, a BIN. */
export const tellSubject: Teller = async ({ database }, id, limit) => {
  const lists = await commonLists(database, { id }, limit);
  if (lists.audit?.length === 0 && lists.breaks?.length === 0) return undefined;
  return storyOf(
    id,
    { what: 'subject', tenantId: null, status: null, since: null, record: {} },
    lists,
    limit,
  );
};
