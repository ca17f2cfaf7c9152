import { z } from 'zod';
import { MAIL_LANGUAGES } from './mail';

/** A tenant's settings for challenges of 3-D Secure. */
export const challengeSettings = z.object({
  /** The language of the mail. */
  language: z.enum(MAIL_LANGUAGES).default('en'),
  /** The number of challenges that a card may have on a UTC day. */
  perCardAndDay: z.int().min(0).max(1_000).default(10),
});

export const challengeSettingsSection = { name: 'challenges', schema: challengeSettings };
