/**
 * How far a transfer is, by the bank's word. A later stage is never lowered by a report that comes late. `failed`: the
 * bank has refused or given up the transfer.
 */
export type Stage = 'accepted' | 'sent' | 'completed' | 'failed' | 'see_transfers';

/** The codes of ISO 20022 (external code sets, payment status) that a bank sends to its customers. */
const STAGES: Readonly<Record<string, Stage>> = {
  RCVD: 'accepted',
  PDNG: 'accepted',
  ACTC: 'accepted',
  ACCP: 'accepted',
  ACWC: 'accepted',
  ACWP: 'accepted',
  ACSP: 'accepted',
  /** Settled on our account: the money has left. */
  ACSC: 'sent',
  /** Settled on the payee's account. */
  ACCC: 'completed',
  RJCT: 'failed',
  CANC: 'failed',
  /** Some transfers were refused. Each has its own status. */
  PART: 'see_transfers',
};

/** Undefined for a code that we do not know: the status stays, and a person is told. */
export const stageOf = (status: string): Stage | undefined => STAGES[status];

/** Our code of a reason, for clients. A reason that could reveal the bank's internals has none. */
const FAILURES: Readonly<Record<string, string>> = {
  AC01: 'account_invalid',
  AC03: 'account_invalid',
  AC04: 'account_closed',
  AC06: 'account_blocked',
  AC13: 'account_invalid',
  AG01: 'transaction_forbidden',
  AG02: 'transaction_forbidden',
  AM02: 'amount_too_large',
  AM04: 'insufficient_funds',
  AM05: 'duplicate',
  BE01: 'name_mismatch',
  BE04: 'address_missing',
  CUST: 'recalled',
  DUPL: 'duplicate',
  FOCR: 'recalled',
  FR01: 'fraud',
  FRAD: 'fraud',
  MD07: 'payee_deceased',
  MS02: 'refused_by_payee',
  MS03: 'refused_by_bank',
  RC01: 'bank_invalid',
  RR01: 'regulatory',
  RR02: 'regulatory',
  RR03: 'regulatory',
  RR04: 'regulatory',
  TECH: 'technical',
};

export const failureOf = (reason: string | undefined): string =>
  (reason === undefined ? undefined : FAILURES[reason]) ?? 'refused_by_bank';
