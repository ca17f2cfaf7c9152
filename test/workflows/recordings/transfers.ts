import { DEADLINE, ends, followed, HOUR_MS, type RecordedWorkflows, waits, watcher } from './recording';

const PAYOUT = 'pay_01h455vb4pex5vsknk084sn02q';
const EXTERNAL_CARD = 'ect_01h455vb4pex5vsknk084sn02q';
const IBAN_PAYOUT = 'ibp_01h455vb4pex5vsknk084sn02q';
const EXCHANGE_ORDER = 'exo_01h455vb4pex5vsknk084sn02q';
const EXCHANGE_WITHDRAWAL = 'exw_01h455vb4pex5vsknk084sn02q';
const DEPOSIT = 'dep_01h455vb4pex5vsknk084sn02q';

/** Answers from an operator's approval to the end. The party is away at times. */
const APPROVED_AND_PAID = [
  waits('pending_approval', DEADLINE),
  '!PartyAway',
  waits('processing', DEADLINE),
  waits('processing', DEADLINE),
  '!PartyAway',
  '!PartyAway',
  waits('sent', DEADLINE),
  ends('completed'),
];

export const TRANSFER_RECORDINGS = {
  depositLifecycle: followed(
    DEPOSIT,
    'lookAtDeposit',
    { waiting: 'processing', ended: 'completed' },
    {
      expired: {
        answers: [
          waits('awaiting_payment', DEADLINE),
          '!PartyAway',
          waits('awaiting_payment', DEADLINE),
          waits('awaiting_payment', DEADLINE + 1),
          ends('expired'),
        ],
      },
      completed: {
        answers: [waits('awaiting_payment', DEADLINE), waits('processing', DEADLINE + 1), ends('completed')],
      },
      unreachable: {
        answers: [
          '!PartyAway',
          '!PartyAway',
          '!PartyAway',
          waits('awaiting_payment', DEADLINE),
          ends('expired'),
        ],
      },
      'reviewed-in-wait': {
        answers: [waits('manual_review'), ends('failed')],
        look: { afterAnswers: 1 },
      },
      'deadline-moved-in-wait': {
        answers: [
          (now: number) => waits('awaiting_payment', now + HOUR_MS),
          (now: number) => waits('awaiting_payment', now + 2 * HOUR_MS),
          ends('expired'),
        ],
        look: { afterAnswers: 1 },
      },
      told: { answers: [waits('processing', DEADLINE), ends('completed')], look: 'with-start' },
      'ended-before-start': { args: [DEPOSIT, 'completed'], answers: [] },
      'ended-and-told': { args: [DEPOSIT, 'completed'], answers: [ends('refunded')], look: 'with-start' },
      'refund-told': { answers: [waits('completed', DEADLINE), ends('refunded')], look: 'with-start' },
    },
  ),
  payoutLifecycle: followed(
    PAYOUT,
    'advancePayout',
    { waiting: 'processing', ended: 'failed' },
    {
      completed: { answers: APPROVED_AND_PAID },
      'rejected-in-wait': {
        answers: [waits('pending_approval'), ends('rejected')],
        look: { afterAnswers: 1 },
      },
      unreachable: {
        answers: ['!PartyAway', '!PartyAway', waits('processing', DEADLINE), '!PartyAway', ends('failed')],
      },
      'returned-late': { answers: [ends('returned')], look: 'with-start' },
      encrypted: {
        answers: ['!PartyAway', waits('processing', DEADLINE)],
        secondRun: {
          answers: { advancePayout: [waits('sent', DEADLINE), ends('completed')] },
          after: 'server-suggests',
        },
        encrypted: true,
      },
    },
  ),
  ibanPayout: followed(
    IBAN_PAYOUT,
    'advanceIbanPayout',
    { waiting: 'processing', ended: 'failed' },
    {
      completed: { answers: APPROVED_AND_PAID },
      told: { answers: [waits('processing', DEADLINE), ends('failed')], look: 'with-start' },
      'returned-late': { answers: [ends('returned')], look: 'with-start' },
    },
  ),
  externalCardTransfer: followed(
    EXTERNAL_CARD,
    'advanceExternalCard',
    { waiting: 'processing', ended: 'completed' },
    {
      confirmed: {
        answers: [
          waits('requires_action', DEADLINE),
          '!PartyAway',
          waits('requires_action', DEADLINE),
          waits('processing', DEADLINE),
          ends('completed'),
        ],
      },
      told: { answers: [waits('processing', DEADLINE), ends('failed')], look: 'with-start' },
      'returned-late': { answers: [ends('returned')], look: 'with-start' },
    },
  ),
  ibanCredit: followed(
    'sbp-1',
    'lookAtIbanCredit',
    { waiting: 'received', ended: 'credited' },
    {
      credited: { answers: ['!PartyAway', ends('credited')] },
      returned: { answers: [waits('suspended', DEADLINE), ends('returned')], look: 'with-start' },
    },
  ),
  exchangeOrder: followed(
    EXCHANGE_ORDER,
    'advanceExchangeOrder',
    { waiting: 'executing', ended: 'completed' },
    {
      completed: {
        answers: [
          waits('created', DEADLINE),
          '!PartyAway',
          waits('executing', DEADLINE),
          waits('awaiting_settlement', DEADLINE),
          ends('completed'),
        ],
      },
      told: { answers: [waits('awaiting_settlement', DEADLINE), ends('completed')], look: 'with-start' },
      failed: { answers: [waits('created', DEADLINE), ends('failed')] },
    },
  ),
  exchangeWithdrawal: followed(
    EXCHANGE_WITHDRAWAL,
    'advanceExchangeWithdrawal',
    { waiting: 'processing', ended: 'completed' },
    {
      completed: {
        answers: [
          waits('pending_approval', DEADLINE),
          '!PartyAway',
          waits('processing', DEADLINE),
          waits('sent', DEADLINE),
          ends('completed'),
        ],
      },
      told: { answers: [waits('processing', DEADLINE), ends('cancelled')], look: 'with-start' },
      'returned-late': { answers: [ends('returned')], look: 'with-start' },
    },
  ),
  checkoutPayment: {
    args: ['cs_1'],
    paths: {
      matched: { answers: { matchSession: ['open', '!PartyAway', 'open', 'matched'] } },
      told: { answers: { matchSession: ['suspended'] }, look: 'with-start' },
      'look-in-wait': { answers: { matchSession: ['matched'] }, look: { afterAnswers: 0 } },
    },
  },
  partyWatcher: watcher(['checkout'], 'watchParty', null),
  settlementReading: {
    args: [],
    paths: { read: { answers: { readSettlement: ['!PartyAway', null] } } },
  },
} satisfies RecordedWorkflows;
