import { text } from '../kernel/wire/schemas';

/** Why an operator decides, or looks at what is masked. */
export const reasonSchema = text(500).trim().min(1);
