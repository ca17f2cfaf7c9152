import {
  CHALLENGE_STATUSES,
  CHALLENGE_TRANSITIONS,
  type Challenge,
  type ChallengeStatus,
} from '../../../src/cards/challenges/record';
import { codeTimes, judgeCode, statusAt, transition } from '../../../src/cards/challenges/rules';
import { Decimal } from '../../../src/kernel/money/money';

const AT = new Date('2026-01-31T12:00:00.000Z');
const later = (seconds: number) => new Date(AT.getTime() + seconds * 1000);

function challenge(change: Partial<Challenge> = {}): Challenge {
  return {
    id: 'chl_01h455vb4pex5vsknk084sn02q',
    challengeId: 'acs-1',
    tenantId: 'cli_1',
    cardId: 'card_1',
    status: 'sent',
    amount: new Decimal('60'),
    currency: 'USD',
    merchant: { id: 'm-1', name: 'Bookshop', country: 'AT' },
    codeNumber: 1,
    wrongCodes: 0,
    sendBy: later(60),
    codeEndsAt: later(300),
    expiresAt: later(600),
    createdAt: AT,
    updatedAt: AT,
    ...change,
  };
}

it('gives a code one minute to be sent and five minutes to be typed, but never beyond the end of the challenge', () => {
  expect(codeTimes(AT, later(600))).toEqual({ sendBy: later(60), codeEndsAt: later(300) });
  expect(codeTimes(AT, later(45))).toEqual({ sendBy: later(45), codeEndsAt: later(45) });
});

it.each<[ChallengeStatus, number, ChallengeStatus]>([
  ['sending', 59.999, 'sending'],
  ['sending', 60, 'unavailable'],
  ['sending', 300, 'expired'],
  ['sent', 299.999, 'sent'],
  ['sent', 300, 'expired'],
  ['approved', 10_000, 'approved'],
  ['used', 10_000, 'used'],
  ['failed', 10_000, 'failed'],
  ['cancelled', 10_000, 'cancelled'],
  ['unavailable', 10_000, 'unavailable'],
])('time turns %s after %d s into %s', (status, seconds, expected) => {
  expect(statusAt(challenge({ status }), later(seconds))).toBe(expected);
});

it('expires a challenge at its own end, however long its code is valid', () => {
  const short = challenge({ expiresAt: later(30), codeEndsAt: later(300) });
  expect(statusAt(short, later(29.999))).toBe('sent');
  expect(statusAt(short, later(30))).toBe('expired');
});

describe('a code', () => {
  it.each<[ChallengeStatus, boolean, number, object]>([
    ['sending', true, 0, { result: 'approved', triesLeft: 3, change: { status: 'approved' } }],
    ['sent', true, 0, { result: 'approved', triesLeft: 3, change: { status: 'approved' } }],
    ['sent', true, 2, { result: 'approved', triesLeft: 1, change: { status: 'approved' } }],
    ['sent', false, 0, { result: 'failed', triesLeft: 2, change: { wrongCodes: 1 } }],
    ['sent', false, 2, { result: 'failed', triesLeft: 0, change: { wrongCodes: 3, status: 'failed' } }],
    ['failed', true, 3, { result: 'failed', triesLeft: 0 }],
    ['approved', true, 0, { result: 'approved', triesLeft: 3 }],
    ['approved', false, 2, { result: 'failed', triesLeft: 0, change: { wrongCodes: 3 } }],
    ['approved', true, 3, { result: 'failed', triesLeft: 0 }],
    ['used', true, 1, { result: 'approved', triesLeft: 2 }],
    ['expired', true, 0, { result: 'expired', triesLeft: 0 }],
    ['unavailable', true, 0, { result: 'expired', triesLeft: 0 }],
    ['cancelled', true, 0, { result: 'cancelled', triesLeft: 0 }],
  ])(
    'for a challenge that is %s, right: %s, after %d wrong codes',
    (status, isRight, wrongCodes, expected) => {
      expect(judgeCode(challenge({ status, wrongCodes }), isRight, AT)).toEqual(expected);
    },
  );

  it('is not approved after its time limit', () => {
    expect(judgeCode(challenge(), true, later(300))).toEqual({ result: 'expired', triesLeft: 0 });
  });
});

it('has one target per status and trigger, and reaches every status', () => {
  const keys = CHALLENGE_TRANSITIONS.map(({ from, on }) => `${from} ${on}`);
  expect(new Set(keys).size).toBe(keys.length);
  const reached = new Set<string>(CHALLENGE_TRANSITIONS.map(({ to }) => to));
  expect(CHALLENGE_STATUSES.filter((status) => !reached.has(status))).toEqual([]);
  expect(transition('used', 'right_code')).toBeUndefined();
});
