/** The process cannot start. The message says what to do and is shown without a stack. */
export class StartupError extends Error {
  override name = 'StartupError';
}
