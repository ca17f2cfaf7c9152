import type { Sql } from '../../kernel/db/database';
import type { Services } from '../../services';
import type { Reference } from '../reference/reference';
import type { CardholderModel } from './record';

/** The fields that a registration needs of an account that may fund cards, and of the BIN on which they are issued. */
export interface FundingAccount {
  id: string;
  /** Null for a master account. */
  userId: string | null;
  currency: string;
}
export interface Programme {
  bin: string;
  currency: string;
  model: CardholderModel;
  status: 'active' | 'closed';
}

/** Dependencies of the domain. */
export interface CardholderServices extends Services {
  /** Lists of regions, cities and occupations. */
  reference: Reference;
  /** @throws Problem 404 */
  requireAccount(sql: Sql, reach: string | null, id: string, field?: string): Promise<FundingAccount>;
  /** @throws Problem 404 when the BIN is unknown or the tenant may not issue on it */
  requireAdmittedBin(sql: Sql, tenantId: string | null, bin: string, field?: string): Promise<Programme>;
  /** @throws Problem 409 `bin_closed` when the BIN is closed or disabled for the user */
  assertBinOpen(sql: Sql, bin: Programme, userId: string): Promise<void>;
}
