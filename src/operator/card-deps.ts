import { createProgrammes } from '../cards/programmes/cache';

/** For card events that convert nothing: no party is asked for a rate. */
export const cardDeps = () => ({
  programmes: createProgrammes(),
  parties: { rates: { worth: () => undefined } },
});
