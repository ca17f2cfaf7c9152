import type { RecordedWorkflows } from './recording';

const IBAN = 'vib_01h455vb4pex5vsknk084sn02q';
const AUTHORIZATION_PLACE = { expiresAt: '2026-01-31T12:00:00.000Z', id: 'aut_1' };
const FEE_PLACE = { month: '2026-01', virtualIbanId: IBAN };

const LAST_EXPIRY = { expired: 0, failed: 0, more: false, after: null };
const EXPIRY = { expired: 499, failed: 1, more: true, after: AUTHORIZATION_PLACE };
const FEES = { paid: 200, unpaid: 0, after: FEE_PLACE };
const LAST_FEES = { paid: 1, unpaid: 3, after: null };

/** The workflows that schedules start. */
export const UPKEEP_RECORDINGS = {
  authorizationExpiry: {
    args: [],
    paths: {
      'two-portions': { answers: { expireDueAuthorizations: [EXPIRY, LAST_EXPIRY] } },
      continued: {
        answers: { expireDueAuthorizations: [EXPIRY] },
        secondRun: { answers: { expireDueAuthorizations: [LAST_EXPIRY] }, after: 'server-suggests' },
      },
    },
  },
  ibanMonthlyFees: {
    args: [],
    paths: {
      'two-portions': { answers: { takeMonthlyIbanFees: [FEES, LAST_FEES] } },
      continued: {
        answers: { takeMonthlyIbanFees: [FEES] },
        secondRun: { answers: { takeMonthlyIbanFees: [LAST_FEES] }, after: 'server-suggests' },
      },
    },
  },
  documentRemoval: {
    args: [],
    paths: {
      'two-portions': { answers: { removeDueDocuments: [{ more: true }, { more: false }] } },
      continued: {
        answers: { removeDueDocuments: [{ more: true }] },
        secondRun: { answers: { removeDueDocuments: [{ more: false }] }, after: 'server-suggests' },
      },
    },
  },
  operatorMail: {
    args: [],
    paths: { sent: { answers: { mailWaitingToOperators: [2] } } },
  },
  auditHead: {
    args: [],
    paths: { told: { answers: { tellAuditHeads: [1] } } },
  },
  housekeeping: {
    args: [],
    paths: {
      'with-personal-data': {
        answers: {
          takeLedgerSnapshots: [null],
          forgetOldIdempotencyKeys: [3],
          forgetOldCallbacks: [2],
          forgetOldEvents: [12],
          forgetUnusedQuotes: [7],
          forgetOldSpending: [40],
          forgetPersonalData: [6],
          releaseExpiredWallets: [5],
          showOverdueCardOrders: [null],
        },
      },
    },
  },
} satisfies RecordedWorkflows;
