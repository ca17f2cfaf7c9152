import type { z } from 'zod';
import type { Registration } from './events';

/** An event as its receivers read of it, in the OpenAPI document. Each domain describes its own. */
export interface EventDocument {
  /** `event` of the envelope. */
  event: string;
  /** Type under which a webhook URL receives it. */
  type: Registration;
  /** When it is sent, as a sentence. */
  description: string;
  data: z.ZodObject;
}
