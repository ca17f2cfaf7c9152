/** Time-out of an activity that follows something for four hours: `sliceOf` of `activities/slice.ts` ends it two minutes earlier. */
export const FOLLOWING = '242 minutes';

/** Activities until such a workflow continues as new, so that a history has a few hundred events. */
export const SLICES = 72;
