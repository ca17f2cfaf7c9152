import { type RecordedWorkflows, times } from './recording';

const CARDHOLDER = 'chd_01h455vb4pex5vsknk084sn02q';
const USER = 'usr_01h455vb4pex5vsknk084sn02q';

/** All attempts to submit: a retry adds no event to the history. */
const EVERY_ATTEMPT = times(300, '!PartyAway');
/** Questions after which one more follows at a growing interval, before the hourly ones. */
const BEFORE_HOURLY = 11;

export const PEOPLE_RECORDINGS = {
  cardholderSubmission: {
    args: [CARDHOLDER],
    paths: {
      passed: {
        answers: {
          lookAtCardholder: ['wait_audit'],
          submitCardholder: ['processing', 'processing', 'pass_audit'],
        },
      },
      'reviewed-and-lost': {
        answers: {
          lookAtCardholder: ['pending_review', 'pending_review', 'wait_audit'],
          submitCardholder: ['unknown', 'wait_audit', 'processing', 'reject'],
        },
      },
      told: {
        answers: { lookAtCardholder: ['rejected_by_admin', 'rejected_by_admin'] },
        look: 'with-start',
      },
      unreachable: {
        answers: {
          lookAtCardholder: ['wait_audit'],
          submitCardholder: EVERY_ATTEMPT,
          giveUpSubmission: ['submission_failed'],
        },
      },
      'unreachable-and-perhaps-sent': {
        answers: {
          lookAtCardholder: ['wait_audit'],
          submitCardholder: [...EVERY_ATTEMPT, 'pass_audit'],
          giveUpSubmission: ['unknown'],
        },
      },
      'asked-hourly': {
        args: [CARDHOLDER, BEFORE_HOURLY],
        answers: {
          lookAtCardholder: ['wait_audit'],
          submitCardholder: ['processing', 'processing', 'processing', 'pass_audit'],
        },
      },
      'decided-in-wait': {
        answers: { lookAtCardholder: ['pending_review', 'rejected_by_admin'] },
        look: { afterAnswers: 1 },
      },
      'called-back-in-wait': {
        args: [CARDHOLDER, BEFORE_HOURLY],
        answers: {
          lookAtCardholder: ['wait_audit'],
          submitCardholder: ['processing', 'pass_audit'],
        },
        look: { afterAnswers: 2 },
      },
      continued: {
        answers: {
          lookAtCardholder: ['wait_audit'],
          submitCardholder: ['processing'],
        },
        secondRun: {
          answers: {
            lookAtCardholder: ['wait_audit'],
            submitCardholder: ['processing', 'pass_audit'],
          },
          after: 'server-suggests',
        },
      },
    },
  },
  kycReview: {
    args: [USER, 1],
    paths: {
      completed: { answers: { lookAtKycReview: ['in_review', 'in_review', 'completed'] } },
      told: {
        args: [USER, 2],
        answers: { lookAtKycReview: ['in_review', 'rejected'] },
        look: 'with-start',
      },
      'look-in-wait': {
        answers: { lookAtKycReview: ['in_review', 'resubmission_required'] },
        look: { afterAnswers: 1 },
      },
      continued: {
        answers: { lookAtKycReview: ['in_review'] },
        secondRun: { answers: { lookAtKycReview: ['in_review', 'completed'] }, after: 'many-looks' },
      },
    },
  },
} satisfies RecordedWorkflows;
