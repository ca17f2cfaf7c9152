/** Runs of workflows, whose histories are kept in test/histories and replayed by every later version. */
export interface Recording {
  /** The file: `<workflow>.<way>.json`. */
  workflow: string;
  way: string;
  args: unknown[];
  /** What each activity answers, in the order of its calls; a text that begins with `!` is the type of a failure. */
  answers: Record<string, unknown[]>;
  /** It is told to look as it begins. */
  told?: true;
}

const CARD = 'card_01h455vb4pex5vsknk084sn02q';
const PAYOUT = 'pay_01h455vb4pex5vsknk084sn02q';
const CARDHOLDER = 'chd_01h455vb4pex5vsknk084sn02q';
const USER = 'usr_01h455vb4pex5vsknk084sn02q';
const TOKENIZATION = 'tkn_01h455vb4pex5vsknk084sn02q';
const OPERATION = 'cop_01h455vb4pex5vsknk084sn02q';
const ENDPOINT = { tenantId: 'cli_01h455vb4pex5vsknk084sn02q', registration: 'card' };

const EXTERNAL_CARD = 'ect_01h455vb4pex5vsknk084sn02q';
const IBAN_PAYOUT = 'ibp_01h455vb4pex5vsknk084sn02q';
const EXCHANGE_ORDER = 'exo_01h455vb4pex5vsknk084sn02q';
const EXCHANGE_WITHDRAWAL = 'exw_01h455vb4pex5vsknk084sn02q';
const ALLOCATION = 'wla_01h455vb4pex5vsknk084sn02q';
const IBAN = 'vib_01h455vb4pex5vsknk084sn02q';

const SWEEP = 'swp_01h455vb4pex5vsknk084sn02q';
const CHAIN_DEPOSIT = 'cdp_01h455vb4pex5vsknk084sn02q';
const DEPOSIT = 'dep_01h455vb4pex5vsknk084sn02q';

const times = <T>(count: number, answer: T): T[] => Array.from({ length: count }, () => answer);

const cardholder = (way: string, answers: Recording['answers'], told?: true): Recording => ({
  workflow: 'cardholderSubmission',
  way,
  args: [CARDHOLDER],
  answers,
  ...(told ? { told } : {}),
});

const cardTransfer = (way: string, answers: unknown[], told?: true): Recording => ({
  workflow: 'externalCardTransfer',
  way,
  args: [EXTERNAL_CARD],
  answers: { advanceExternalCard: answers },
  ...(told ? { told } : {}),
});

const ibanPayout = (way: string, answers: object[], told?: true): Recording => ({
  workflow: 'ibanPayout',
  way,
  args: [IBAN_PAYOUT],
  answers: { advanceIbanPayout: answers },
  ...(told ? { told } : {}),
});

const exchangeOrder = (way: string, answers: unknown[], told?: true): Recording => ({
  workflow: 'exchangeOrder',
  way,
  args: [EXCHANGE_ORDER],
  answers: { advanceExchangeOrder: answers },
  ...(told ? { told } : {}),
});

const exchangeWithdrawal = (way: string, answers: unknown[], told?: true): Recording => ({
  workflow: 'exchangeWithdrawal',
  way,
  args: [EXCHANGE_WITHDRAWAL],
  answers: { advanceExchangeWithdrawal: answers },
  ...(told ? { told } : {}),
});

const gasOperation = (way: string, answers: unknown[], told?: true): Recording => ({
  workflow: 'gasOperation',
  way,
  args: [SWEEP],
  answers: { advanceGasOperation: answers },
  ...(told ? { told } : {}),
});

const open = (status: string) => ({ status, open: true });
const ended = (status: string) => ({ status, open: false });

const deposit = (way: string, answers: unknown[], told?: true): Recording => ({
  workflow: 'depositLifecycle',
  way,
  args: [DEPOSIT],
  answers: { lookAtDeposit: answers },
  ...(told ? { told } : {}),
});

const payout = (way: string, answers: string[], told?: true): Recording => ({
  workflow: 'payoutLifecycle',
  way,
  args: [PAYOUT],
  answers: { advancePayout: answers },
  ...(told ? { told } : {}),
});

/** What a step of the transfer engine answers; `lookAt` has passed. */
const looksAgain = (status: string) => ({ status, open: true, lookAt: 1 });
const rests = (status: string) => ({ status, open: false, lookAt: null });

const followed = (way: string, answers: unknown[], told?: true): Recording[] => [
  {
    workflow: 'payoutLifecycle',
    way,
    args: [PAYOUT],
    answers: { advancePayout: answers },
    ...(told ? { told } : {}),
  },
  {
    workflow: 'ibanPayout',
    way,
    args: [IBAN_PAYOUT],
    answers: { advanceIbanPayout: answers },
    ...(told ? { told } : {}),
  },
];

const waiting = (status: string, waitsFor: string) => ({ status, waitsFor, waitMs: 60_000, turns: 0 });
/** Of the transfer engine. */
const transferWaits = (status: string, lookAt: number | null = null) => ({ status, open: true, lookAt });
const transferEnded = (status: string) => ({ status, open: false, lookAt: null });
/** It has come already. */
const DEADLINE = 1;

const depositEnded = (status: string) => ({ status, waitsFor: null, turns: 0 });

export const RECORDINGS: readonly Recording[] = [
  deposit('of-the-engine', [
    transferWaits('awaiting_payment', DEADLINE),
    '!PartyAway',
    transferWaits('awaiting_payment', DEADLINE),
    transferWaits('awaiting_payment', DEADLINE + 1),
    transferEnded('expired'),
  ]),
  deposit('of-the-engine-told', [transferWaits('processing', DEADLINE), transferEnded('completed')], true),
  { workflow: 'partyWatcher', way: 'a-run', args: ['checkout'], answers: { watchParty: times(72, null) } },
  deposit('completed', [
    waiting('awaiting_payment', 'payment'),
    waiting('awaiting_payment', 'payment'),
    waiting('processing', 'settlement'),
    depositEnded('completed'),
  ]),
  deposit('unreachable', [
    ...times(3, '!PartyAway'),
    waiting('awaiting_payment', 'payment'),
    ...times(2, '!PartyAway'),
    depositEnded('expired'),
  ]),
  deposit('told', [waiting('completed', 'refund'), depositEnded('refunded')], true),
  deposit('months-of-review', [...times(205, waiting('manual_review', 'review')), depositEnded('failed')]),
  {
    workflow: 'checkoutPayment',
    way: 'matched',
    args: ['cs_1'],
    answers: { matchSession: ['open', '!PartyAway', 'open', 'matched'] },
  },
  {
    workflow: 'checkoutPayment',
    way: 'told',
    args: ['cs_1'],
    told: true,
    answers: { matchSession: ['suspended'] },
  },
  {
    workflow: 'authorizationExpiry',
    way: 'two-portions',
    args: [],
    answers: { expireDueAuthorizations: [{ more: true }, { more: false }] },
  },
  {
    workflow: 'authorizationExpiry',
    way: 'from-place-to-place',
    args: [],
    answers: {
      expireDueAuthorizations: [
        {
          expired: 499,
          failed: 1,
          more: true,
          after: { expiresAt: '2026-01-31T12:00:00.000Z', id: 'aut_1' },
        },
        { expired: 0, failed: 0, more: false, after: null },
      ],
    },
  },
  {
    workflow: 'unansweredAuthorization',
    way: 'released',
    args: ['prm_1'],
    answers: { settleUnanswered: ['!unavailable', 'released'] },
  },
  {
    workflow: 'cardIssuance',
    way: 'issued',
    args: [CARD],
    answers: { orderCard: ['processing'], checkOrder: ['processing', 'active'] },
  },
  {
    workflow: 'cardIssuance',
    way: 'lost-and-ordered-again',
    args: [CARD],
    answers: { orderCard: ['unknown', 'processing'], checkOrder: ['unheard', 'unknown', 'failed'] },
  },
  {
    workflow: 'cardIssuance',
    way: 'told',
    args: [CARD],
    told: true,
    answers: { orderCard: ['processing'], checkOrder: ['active'] },
  },
  {
    workflow: 'cardClosure',
    way: 'confirmed',
    args: [CARD],
    answers: { closeAtProcessor: ['processing', 'processing', 'confirmed'] },
  },
  { workflow: 'cardClosure', way: 'nothing-to-close', args: [CARD], answers: { closeAtProcessor: ['open'] } },
  {
    workflow: 'cardOperation',
    way: 'posted',
    args: [OPERATION],
    answers: { carryOutOperation: ['completed'] },
  },
  {
    workflow: 'cardOperation',
    way: 'told',
    args: [OPERATION],
    told: true,
    answers: { carryOutOperation: ['processing', 'failed'] },
  },
  {
    workflow: 'cardOperation',
    way: 'not-told',
    args: [OPERATION],
    answers: { carryOutOperation: ['processing', 'processing', 'completed'] },
  },
  {
    workflow: 'cardTokenization',
    way: 'completed',
    args: [TOKENIZATION],
    answers: { tokenizeAtProcessor: ['processing', 'processing', 'completed'] },
  },
  cardholder('passed', {
    lookAtCardholder: ['wait_audit'],
    submitCardholder: ['processing'],
    checkSubmission: ['processing', 'pass_audit'],
  }),
  cardholder('reviewed-and-lost', {
    lookAtCardholder: ['pending_review', 'pending_review', 'wait_audit'],
    submitCardholder: ['unknown', 'processing'],
    checkSubmission: ['wait_audit', 'reject'],
  }),
  cardholder('told', { lookAtCardholder: ['rejected_by_admin', 'rejected_by_admin'] }, true),
  cardholder('unreachable', {
    lookAtCardholder: ['wait_audit'],
    submitCardholder: times(300, '!ReviewerUnreachable'),
    giveUpSubmission: ['submission_failed'],
  }),
  cardholder('unreachable-and-perhaps-sent', {
    lookAtCardholder: ['wait_audit'],
    submitCardholder: times(300, '!ReviewerUnreachable'),
    giveUpSubmission: ['unknown'],
    checkSubmission: ['pass_audit'],
  }),
  cardholder('party-away', {
    lookAtCardholder: ['wait_audit'],
    submitCardholder: times(300, '!PartyAway'),
    giveUpSubmission: ['submission_failed'],
  }),
  cardholder('months-of-review', {
    lookAtCardholder: [...times(102, 'pending_review'), 'rejected_by_admin'],
  }),
  cardTransfer('confirmed', [
    { ...open('requires_action'), actionBy: Date.UTC(2026, 0, 1) },
    { ...open('requires_action'), actionBy: Date.UTC(2200, 0, 1) },
    open('processing'),
    ended('completed'),
  ]),
  cardTransfer('told', [open('processing'), ended('failed')], true),
  cardTransfer('late', [ended('returned'), ended('returned')], true),
  cardTransfer('months', [...times(400, open('processing')), ended('completed')]),
  cardTransfer('engine-confirmed', [
    ...[transferWaits('requires_action', DEADLINE), '!PartyAway', transferWaits('requires_action', DEADLINE)],
    ...[transferWaits('processing', DEADLINE), transferEnded('completed')],
  ]),
  cardTransfer('engine-told', [transferWaits('processing', DEADLINE), transferEnded('failed')], true),
  cardTransfer('engine-returned-late', [transferEnded('returned')], true),
  ibanPayout('completed', [open('processing'), open('sent'), ended('completed')]),
  ibanPayout('told', [open('processing'), ended('failed')], true),
  exchangeOrder('completed', [
    ...[transferWaits('created', DEADLINE), '!PartyAway', transferWaits('executing', DEADLINE)],
    ...[transferWaits('awaiting_settlement', DEADLINE), transferEnded('completed')],
  ]),
  exchangeOrder('told', [transferWaits('awaiting_settlement', DEADLINE), transferEnded('completed')], true),
  exchangeOrder('failed', [transferWaits('created', DEADLINE), transferEnded('failed')]),
  { workflow: 'settlementReading', way: 'read', args: [], answers: { readSettlement: ['!PartyAway', null] } },
  {
    ...{ workflow: 'chainReading', way: 'read', args: [] },
    answers: { chainsToCompare: [['local']], keepChainReading: ['!ChainAway', null] },
  },
  exchangeWithdrawal('completed', [
    ...[transferWaits('pending_approval', DEADLINE), '!PartyAway', transferWaits('processing', DEADLINE)],
    ...[transferWaits('sent', DEADLINE), transferEnded('completed')],
  ]),
  exchangeWithdrawal('told', [transferWaits('processing', DEADLINE), transferEnded('cancelled')], true),
  exchangeWithdrawal('returned-late', [transferEnded('returned')], true),
  ibanPayout('months', [...times(400, open('processing')), ended('returned')]),
  {
    workflow: 'chainDeposit',
    way: 'credited',
    args: [CHAIN_DEPOSIT],
    told: true,
    answers: {
      advanceChainDeposit: ['!ChainAway', transferWaits('confirming', DEADLINE), transferEnded('credited')],
    },
  },
  { workflow: 'chainWatcher', way: 'a-run', args: ['local'], answers: { watchChain: times(72, true) } },
  { workflow: 'chainWatcher', way: 'ended', args: ['local'], answers: { watchChain: [true, false] } },
  { workflow: 'ibanCredit', way: 'credited', args: ['sbp-1'], answers: { bookIbanCredit: ['credited'] } },
  {
    workflow: 'ibanCredit',
    way: 'engine-credited',
    args: ['sbp-1'],
    answers: { lookAtIbanCredit: ['!PartyAway', transferEnded('credited')] },
  },
  {
    workflow: 'ibanCredit',
    way: 'engine-returned',
    args: ['sbp-1'],
    told: true,
    answers: { lookAtIbanCredit: [transferWaits('suspended', DEADLINE), transferEnded('returned')] },
  },
  { workflow: 'ibanCreditCatchUp', way: 'ended', args: [], answers: { catchUpIbanCredits: [] } },
  {
    workflow: 'ibanCreditCatchUp',
    way: 'two-portions',
    args: [],
    answers: {
      catchUpIbanCredits: [
        { booked: 1, more: true },
        { booked: 0, more: false },
      ],
    },
  },
  {
    workflow: 'ibanMonthlyFees',
    way: 'two-portions',
    args: [],
    answers: {
      takeMonthlyIbanFees: [
        { paid: 200, unpaid: 0, after: { month: '2026-01', virtualIbanId: IBAN } },
        { paid: 1, unpaid: 3, after: null },
      ],
    },
  },
  {
    workflow: 'documentRemoval',
    way: 'two-portions',
    args: [],
    answers: { removeDueDocuments: [{ more: true }, { more: false }] },
  },
  {
    workflow: 'housekeeping',
    way: 'done',
    args: [],
    answers: { takeLedgerSnapshots: [null], forgetOldIdempotencyKeys: [3] },
  },
  {
    workflow: 'housekeeping',
    way: 'parts-apart',
    args: [],
    answers: { takeLedgerSnapshots: [null], forgetOldIdempotencyKeys: [3], forgetOldCallbacks: [2] },
  },
  {
    workflow: 'housekeeping',
    way: 'unused-quotes',
    args: [],
    answers: {
      ...{ takeLedgerSnapshots: [null], forgetOldIdempotencyKeys: [3], forgetOldCallbacks: [2] },
      forgetUnusedQuotes: [7],
    },
  },
  {
    workflow: 'housekeeping',
    way: 'old-spending',
    args: [],
    answers: {
      ...{ takeLedgerSnapshots: [null], forgetOldIdempotencyKeys: [3], forgetOldCallbacks: [2] },
      ...{ forgetUnusedQuotes: [7], forgetOldSpending: [40] },
    },
  },
  {
    workflow: 'housekeeping',
    way: 'expired-wallets',
    args: [],
    answers: {
      ...{ takeLedgerSnapshots: [null], forgetOldIdempotencyKeys: [3], forgetOldCallbacks: [2] },
      ...{ forgetUnusedQuotes: [7], forgetOldSpending: [40], releaseExpiredWallets: [5] },
    },
  },
  {
    workflow: 'walletAllocation',
    way: 'expired',
    args: [ALLOCATION],
    answers: { advanceAllocation: [transferWaits('allocated', DEADLINE), transferEnded('expired')] },
  },
  {
    workflow: 'walletAllocation',
    way: 'told',
    args: [ALLOCATION],
    told: true,
    answers: {
      advanceAllocation: [transferWaits('allocated', DEADLINE), transferEnded('released')],
    },
  },
  gasOperation('by-itself', [
    ...[transferWaits('pending', DEADLINE), '!PartyAway', transferWaits('confirming', DEADLINE)],
    ...[transferWaits('confirming', DEADLINE), transferEnded('completed')],
  ]),
  gasOperation('told', [transferWaits('awaiting_confirmation', DEADLINE), transferEnded('completed')], true),
  gasOperation('expired', [transferWaits('pending', DEADLINE), transferEnded('expired')]),
  gasOperation('many-looks', [...times(205, transferWaits('confirming', DEADLINE)), transferEnded('failed')]),
  {
    workflow: 'gasAutoSweep',
    way: 'ordered',
    args: [],
    answers: { orderAutoSweeps: ['!PartyAway', 3], scanStations: [1] },
  },
  {
    workflow: 'kycReview',
    way: 'completed',
    args: [USER, 1],
    answers: { lookAtKycReview: ['in_review', 'in_review', 'completed'] },
  },
  {
    workflow: 'kycReview',
    way: 'told',
    args: [USER, 2],
    told: true,
    answers: { lookAtKycReview: ['in_review', 'rejected'] },
  },
  {
    workflow: 'kycReview',
    way: 'months',
    args: [USER, 1],
    answers: { lookAtKycReview: [...times(250, 'in_review'), 'completed'] },
  },
  payout('completed', ['processing', 'sent', 'completed']),
  payout('approved', ['pending_approval', 'pending_approval', 'processing', 'completed']),
  payout('months-of-approval', [...times(120, 'pending_approval'), 'rejected']),
  payout('unreachable', ['!PartyAway', '!PartyAway', 'processing', '!PartyAway', 'failed']),
  payout('returned-late', ['returned'], true),
  ...followed('engine-completed', [
    ...[looksAgain('pending_approval'), '!PartyAway', looksAgain('processing'), looksAgain('processing')],
    ...['!PartyAway', '!PartyAway', looksAgain('sent'), rests('completed')],
  ]),
  ...followed('engine-returned-late', [rests('returned')], true),
  ...followed('engine-months', [...times(205, looksAgain('processing')), rests('failed')]),
  {
    workflow: 'webhookDispatcher',
    way: 'a-run',
    args: [{ shard: 3 }],
    answers: { dispatchWebhooks: times(72, { delivered: 2, failed: 1 }) },
  },
  {
    workflow: 'webhookRecovery',
    way: 'recovered',
    args: [ENDPOINT],
    answers: {
      readWebhookRecovery: [{ failing: true, nextProbeAt: 0 }],
      probeWebhookEndpoint: [
        { failing: true, nextProbeAt: 0, code: 'http_503', attempts: 2 },
        { failing: false, nextProbeAt: 0 },
      ],
    },
  },
  {
    workflow: 'webhookRecovery',
    way: 'told',
    args: [ENDPOINT],
    told: true,
    answers: { readWebhookRecovery: [{ failing: false, nextProbeAt: 0 }] },
  },
];

export const nameOf = ({ workflow, way }: Pick<Recording, 'workflow' | 'way'>) => `${workflow}.${way}`;
