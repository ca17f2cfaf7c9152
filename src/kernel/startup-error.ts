/** The process cannot start, and its message says what to do: shown without a stack. */
export class StartupError extends Error {
  override name = 'StartupError';
}
