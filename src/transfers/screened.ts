import type { Tx } from '../kernel/db/database';
import { showUnknown } from '../parties/orders/unknown-name';
import type { Services } from '../services';
import { makeDueByIds } from './engine/due';
import { kindOf } from './kinds';
import { subjectOfKey } from './screening/record';

/**
 * Handles the screening party's report about keys: makes their transfers due and signals them, so that each asks for the
 * present result. An unknown key is shown to a person.
 * @returns the number of transfers that were found
 */
export async function receiveScreenings(
  services: Pick<Services, 'commands' | 'now' | 'log' | 'observeUnusable'>,
  tx: Tx,
  keys: readonly string[],
): Promise<number> {
  const ids = [...new Set(keys.flatMap((key) => subjectOfKey(key) ?? []))];
  const found = await makeDueByIds(tx, ids, services.now());
  const known = new Set(found.map(({ id }) => id));
  const unknown = keys.filter((key) => !known.has(subjectOfKey(key) ?? ''));
  await showUnknown(services, tx, 'screening', unknown);
  services.commands.append(
    tx,
    found.map((each) => kindOf(each.kind).process.look(each)),
  );
  return found.length;
}
