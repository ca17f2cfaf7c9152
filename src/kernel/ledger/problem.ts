/** A violation that a proof of the books has found. */
export interface LedgerProblem {
  problem: string;
  subject: string;
  detail: string;
}
