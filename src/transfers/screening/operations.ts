import type { Tx } from '../../kernel/db/database';
import type { Result, Screened, Screening } from './record';
import { saveScreenings } from './store';

export { type Question, resultsOf } from './ask';
export { screeningsOf, versionsOf } from './store';

/** A result, with the transfer that it concerns. */
export interface Noted {
  screened: Screened;
  result: Result;
  tenantId: string | null;
  subject: string;
  at: Date;
}

/** Stores results with the commit. Idempotent. */
export const noteScreenings = (tx: Tx, noted: readonly Noted[]): void => saveScreenings(tx, noted.map(rowOf));

const rowOf = ({ screened, result, tenantId, subject, at }: Noted): Screening => {
  const { key, direction, chain, asset, amount } = screened;
  const { status, reason = null, score = null, version = null } = result;
  return {
    key,
    subject,
    tenantId,
    direction,
    chain,
    asset,
    amount,
    status,
    reason,
    score,
    version,
    askedAt: at,
    updatedAt: at,
  };
};
