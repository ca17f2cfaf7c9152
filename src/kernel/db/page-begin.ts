/** Sort key of a list by time, as texts. The first part is the time in ISO 8601, or `infinity`. */
type TimedKey = [at: string, ...rest: string[]];

/**
 * The sort key that a page begins before: that of the cursor, or the end of the period when that is earlier. A statement gets
 * this key as its only upper bound. With two of them Postgres begins at one, and may read all rows down to the other.
 * @param newest a key above all rows, whose further parts are below those of all rows of one time
 */
export function beginOf<Key extends TimedKey>(
  cursor: Key | [] | undefined,
  to: Date | undefined,
  newest: Key,
): Key {
  const after = cursor?.length ? (cursor as Key) : newest;
  if (to === undefined || new Date(after[0]) < to) return after;
  const [, ...lowest] = newest;
  return [to.toISOString(), ...lowest] as Key;
}
