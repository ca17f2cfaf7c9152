import type { Queue } from './queue';
import { cardholders, kyc } from './queues/people';

/** The queues of domains that declare no desk yet, in the order of the overview. */
export const QUEUES: readonly Queue[] = [cardholders, kyc];
