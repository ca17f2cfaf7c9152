import { createProgrammes } from '../cards/programmes/cache';

/** Dependencies of card events without a conversion, which need no rate. */
export const cardDeps = () => ({
  programmes: createProgrammes(),
  parties: { rates: { worth: () => undefined } },
});
