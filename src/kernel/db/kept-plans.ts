/** A server connection's memory holds this many plans at most: some megabytes. */
const MOST = 400;
/** A text is kept when it has come so often: one that varies without end, such as an insert of many rows, is not. */
const OFTEN = 3;
/** Texts whose number is counted at once; forgotten when they are more. */
const COUNTED = 2_000;

const names = new Map<string, string>();
const seen = new Map<string, number>();

/**
 * The name under which a statement that Knex has built is parsed and planned once a connection. None for one that is rare, and
 * none for `select *`: a column that a migration adds would fail it on every connection that is open.
 */
export function planName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST || text.includes('*')) return known;
  if (seen.size >= COUNTED) seen.clear();
  const count = (seen.get(text) ?? 0) + 1;
  if (count < OFTEN) {
    seen.set(text, count);
    return undefined;
  }
  seen.delete(text);
  const name = `built_${names.size}`;
  names.set(text, name);
  return name;
}
