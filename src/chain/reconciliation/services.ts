import type { Services } from '../../services';
import type { AskingChains } from '../networks/nodes';

/** What it takes to compare a chain with our books. */
export interface ComparingServices extends AskingChains, Pick<Services, 'database' | 'now'> {}
