import { HOUR_MS, type RecordedWorkflows, times, watcher } from './recording';

const CARD = 'card_01h455vb4pex5vsknk084sn02q';
const TOKENIZATION = 'tkn_01h455vb4pex5vsknk084sn02q';
const CHALLENGE = 'chl_01h455vb4pex5vsknk084sn02q';
const OPERATION = 'cop_01h455vb4pex5vsknk084sn02q';
const ENDPOINT = { tenantId: 'cli_01h455vb4pex5vsknk084sn02q', registration: 'card' };

/** Questions after which the next wait lasts minutes, so that the recorder's signal comes before its end. */
const ASKED_OFTEN = 10;

export const CARD_RECORDINGS = {
  cardIssuance: {
    args: [CARD],
    paths: {
      issued: { answers: { orderCard: ['processing', 'processing', 'active'] } },
      'lost-and-ordered-again': {
        answers: { orderCard: ['unknown', 'processing', 'unknown', 'failed'] },
      },
      told: { answers: { orderCard: ['processing', 'active'] }, look: 'with-start' },
      'look-in-wait': {
        args: [CARD, ASKED_OFTEN],
        answers: { orderCard: ['processing', 'active'] },
        look: { afterAnswers: 1 },
      },
      continued: {
        answers: { orderCard: ['processing'] },
        secondRun: {
          answers: { orderCard: ['processing', 'active'] },
          after: 'server-suggests',
        },
      },
    },
  },
  cardClosure: {
    args: [CARD],
    paths: {
      confirmed: { answers: { closeAtProcessor: ['processing', 'processing', 'confirmed'] } },
      'nothing-to-close': { answers: { closeAtProcessor: ['open'] } },
      'look-in-wait': {
        args: [CARD, ASKED_OFTEN],
        answers: { closeAtProcessor: ['processing', 'confirmed'] },
        look: { afterAnswers: 1 },
      },
      continued: {
        answers: { closeAtProcessor: ['processing'] },
        secondRun: {
          answers: { closeAtProcessor: ['processing', 'confirmed'] },
          after: 'server-suggests',
        },
      },
    },
  },
  cardOperation: {
    args: [OPERATION],
    paths: {
      posted: { answers: { carryOutOperation: ['completed'] } },
      told: { answers: { carryOutOperation: ['processing', 'failed'] }, look: 'with-start' },
      'not-told': { answers: { carryOutOperation: ['processing', 'processing', 'completed'] } },
      'look-in-wait': {
        answers: { carryOutOperation: ['processing', 'completed'] },
        look: { afterAnswers: 1 },
      },
      continued: {
        answers: { carryOutOperation: ['processing'] },
        secondRun: { answers: { carryOutOperation: ['processing', 'completed'] }, after: 'many-looks' },
      },
    },
  },
  challengeCode: {
    args: [CHALLENGE, 1],
    paths: {
      sent: { answers: { sendChallengeCode: ['!PartyAway', 'sent'] } },
      unavailable: {
        answers: { sendChallengeCode: times(60, '!PartyAway'), closeOverdueChallenge: ['unavailable'] },
      },
    },
  },
  cardTokenization: {
    args: [TOKENIZATION],
    paths: {
      completed: { answers: { tokenizeAtProcessor: ['processing', 'processing', 'completed'] } },
      'look-in-wait': {
        args: [TOKENIZATION, ASKED_OFTEN],
        answers: { tokenizeAtProcessor: ['processing', 'completed'] },
        look: { afterAnswers: 1 },
      },
      continued: {
        answers: { tokenizeAtProcessor: ['processing'] },
        secondRun: {
          answers: { tokenizeAtProcessor: ['processing', 'completed'] },
          after: 'server-suggests',
        },
      },
    },
  },
  unansweredAuthorization: {
    args: ['prm_1'],
    paths: { released: { answers: { settleUnanswered: ['!unavailable', 'released'] } } },
  },
  webhookDispatcher: watcher([{ shard: 3 }], 'dispatchWebhooks', { delivered: 2, failed: 1 }),
  webhookRecovery: {
    args: [ENDPOINT],
    paths: {
      recovered: {
        answers: {
          readWebhookRecovery: [{ failing: true, nextProbeAt: 0 }],
          probeWebhookEndpoint: [
            { failing: true, nextProbeAt: 0, code: 'http_503', attempts: 2 },
            { failing: false, nextProbeAt: 0 },
          ],
        },
      },
      told: {
        answers: { readWebhookRecovery: [{ failing: false, nextProbeAt: 0 }] },
        look: 'with-start',
      },
      'look-in-wait': {
        answers: {
          readWebhookRecovery: [(now: number) => ({ failing: true, nextProbeAt: now + HOUR_MS })],
          probeWebhookEndpoint: [{ failing: false, nextProbeAt: 0 }],
        },
        look: { afterAnswers: 1 },
      },
      continued: {
        answers: {
          readWebhookRecovery: [{ failing: true, nextProbeAt: 0 }],
          probeWebhookEndpoint: [{ failing: true, nextProbeAt: 0, code: 'http_503', attempts: 2 }],
        },
        secondRun: {
          answers: { readWebhookRecovery: [{ failing: false, nextProbeAt: 0 }] },
          after: 'server-suggests',
        },
      },
    },
  },
} satisfies RecordedWorkflows;
