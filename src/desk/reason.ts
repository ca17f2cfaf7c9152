import { text } from '../kernel/wire/schemas';

/** The reason of a decision, or of a look at masked data. */
export const reasonSchema = text(500).trim().min(1);
