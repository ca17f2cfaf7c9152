/** Plans that each server connection may keep in its memory, some megabytes. */
const MOST = 400;
/**
 * Occurrences after which a text is prepared. Texts that vary without end, such as inserts of many rows, never reach
 * it.
 */
const OFTEN = 3;
/** Texts whose occurrences are counted. Beyond this number all counts are dropped. */
const COUNTED = 2_000;

const names = new Map<string, string>();
const seen = new Map<string, number>();

/**
 * Name under which a built statement is prepared, once per connection. Undefined for a rare statement. Undefined for
 * `select *` too, because a column that a migration adds would break the prepared statement on open connections.
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
