import { z } from 'zod';
import { partyVersion } from '../protocol/stored';

export const SCREENING_RESULTS = ['pending', 'cleared', 'refused'] as const;
export type ScreeningResult = (typeof SCREENING_RESULTS)[number];

/** The whole present state of a screening. The party may take a result back, in a later version. */
export const screeningWord = z.object({
  version: partyVersion,
  status: z.enum(SCREENING_RESULTS),
  /** A code for operators, such as `sanctions`. An unusable one is dropped. */
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/)
    .optional()
    .catch(undefined),
  /** The party's measure of the risk, from 0 to 100, as text. It decides nothing here. */
  score: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,4})?$/)
    .optional()
    .catch(undefined),
});

export type ScreeningWord = z.output<typeof screeningWord>;
