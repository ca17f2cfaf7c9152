import type { Sql } from '../../kernel/db/database';
import type { Services } from '../../services';
import type { Reference } from '../reference/reference';
import type { CardholderModel } from './record';

/** An account that cards can be funded from, and a BIN that they can be issued on: as much as a registration asks of them. */
export interface FundingAccount {
  id: string;
  /** Null on a master account. */
  userId: string | null;
  currency: string;
}
export interface Programme {
  bin: string;
  currency: string;
  model: CardholderModel;
  status: 'active' | 'closed';
}

/** What the domain is given. */
export interface CardholderServices extends Services {
  /** Regions, cities and occupations. */
  reference: Reference;
  /** @throws Problem 404 */
  requireAccount(sql: Sql, reach: string | null, id: string, field?: string): Promise<FundingAccount>;
  /** @throws Problem 404 when the BIN is unknown or the tenant may not issue on it */
  requireAdmittedBin(sql: Sql, tenantId: string | null, bin: string, field?: string): Promise<Programme>;
  /** @throws Problem 409 `bin_closed` when the BIN is closed, or disabled for the user */
  assertBinOpen(sql: Sql, bin: Programme, userId: string): Promise<void>;
}
