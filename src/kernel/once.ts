/** Calls a function once for each key. A failure is kept too, so use it for one piece of work only. */
export function once<Key, T>(ask: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const asked = new Map<Key, Promise<T>>();
  return (key) => {
    const known = asked.get(key) ?? ask(key);
    asked.set(key, known);
    return known;
  };
}
