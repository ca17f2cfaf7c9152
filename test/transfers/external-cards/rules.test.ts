import { Decimal } from '../../../src/kernel/money/money';
import type { CardOrderState } from '../../../src/parties/external-cards/port';
import {
  EXTERNAL_CARD_KINDS,
  EXTERNAL_CARD_STATUSES,
  type ExternalCardStatus,
  nextLook,
  TRANSITIONS,
  transitionOf,
  triggersOf,
} from '../../../src/transfers/external-cards/rules';

const state = (status: CardOrderState['status'], returned = '0'): CardOrderState => ({
  status,
  returned: new Decimal(returned),
});
const STATES = (['requires_action', 'processing', 'succeeded', 'failed'] as const).flatMap((status) => [
  state(status),
  state(status, '40'),
]);

describe('the state machine', () => {
  it.each(EXTERNAL_CARD_KINDS)(
    'of a %s never leaves its table, and ends where it is told the same again',
    (kind) => {
      for (const status of EXTERNAL_CARD_STATUSES) {
        for (const told of STATES) {
          let reached: ExternalCardStatus = status;
          for (const trigger of triggersOf(kind, status, new Decimal(0), told)) {
            const found = transitionOf(kind, reached, trigger);
            expect(found).toBeDefined();
            reached = found?.to ?? reached;
          }
          const again = triggersOf(
            kind,
            reached,
            told.status === 'failed' ? new Decimal(100) : told.returned,
            told,
          );
          expect([status, told.status, again]).toEqual([status, told.status, []]);
        }
      }
    },
  );

  it('has one way for each kind, status and trigger', () => {
    const ways = EXTERNAL_CARD_KINDS.flatMap((kind) =>
      TRANSITIONS.filter((each) => each.kind === undefined || each.kind === kind).map(
        ({ from, on }) => `${kind} ${from} ${on}`,
      ),
    );
    expect(new Set(ways).size).toBe(ways.length);
  });

  it('hears nothing of a word that is older than what was said since', () => {
    expect(triggersOf('topup', 'completed', new Decimal(0), state('requires_action'))).toEqual([]);
    expect(triggersOf('topup', 'processing', new Decimal(0), state('requires_action'))).toEqual([]);
    expect(triggersOf('withdrawal', 'completed', new Decimal(0), state('processing'))).toEqual([]);
    expect(triggersOf('topup', 'failed', new Decimal(0), state('processing'))).toEqual([]);
  });
});

it('is looked at again while it is open, and for months after it was completed', () => {
  const now = new Date('2026-01-01T00:00:00.000Z');
  const completedAt = now;
  expect(nextLook({ status: 'processing', completedAt: null }, now)?.getTime()).toBeGreaterThan(
    now.getTime(),
  );
  expect(nextLook({ status: 'failed', completedAt: null }, now)).toBeNull();
  expect(nextLook({ status: 'completed', completedAt }, now)).toEqual(new Date('2026-01-03T00:00:00.000Z'));
  expect(nextLook({ status: 'completed', completedAt }, new Date('2027-01-01'))).toBeNull();
});
