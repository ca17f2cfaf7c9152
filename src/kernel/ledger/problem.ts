/** What a proof of the books has found wrong. */
export interface LedgerProblem {
  problem: string;
  subject: string;
  detail: string;
}
