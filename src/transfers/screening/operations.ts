import type { Tx } from '../../kernel/db/database';
import type { Result, Screened, Screening, Verdict } from './record';
import { type SavedScreening, saveDecision, saveScreenings } from './store';

export { type Question, resultsOf } from './ask';
export {
  changesOf,
  countPending,
  endWaits,
  findScreening,
  pendingScreenings,
  screeningsOf,
  versionsOf,
} from './store';

/** A result, with the transfer that it concerns. */
export interface Noted {
  screened: Screened;
  result: Result;
  tenantId: string | null;
  subject: string;
  /** Whether the transfer waits for the party while the result is `pending`. */
  waits: boolean;
  at: Date;
}

/** Stores results with the commit. Idempotent. */
export const noteScreenings = (tx: Tx, noted: readonly Noted[]): void => saveScreenings(tx, noted.map(rowOf));

const rowOf = ({ screened, result, tenantId, subject, waits, at }: Noted): SavedScreening => {
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
    waits,
    askedAt: at,
    updatedAt: at,
  };
};

/** Stores what people have decided on a screening, so that it waits no longer. */
export const noteVerdict = (
  tx: Tx,
  { key }: Pick<Screening, 'key'>,
  { verdict, decidedBy, at }: { verdict: Verdict; decidedBy: string; at: Date },
): Promise<void> => saveDecision(tx, key, { decided: verdict, decidedBy, decidedAt: at });
