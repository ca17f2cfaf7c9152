import type { Case } from './cases';

/** A message of the network's one transaction; `sent`: the minute at which it was, which tells what came late. */
export interface NetworkStep {
  event: 'authorization' | 'advice' | 'clearing' | 'reversal' | 'refund' | 'unanswered';
  /** Of `unanswered`: the step whose hold is released, for it was answered with a decline. */
  of?: number;
  amount: string;
  sent: number;
  currency?: string;
  final?: true;
  declined?: string;
}

/** As the other cases, of the messages of one network's transaction in the order in which they come. */
export type NetworkCase = Omit<Case, 'when'> & { when: NetworkStep[] };

const FEE = { settleFixed: '0.10', settlePercent: '1' };

export const NETWORK_CASES: NetworkCase[] = [
  {
    rule: 'Messages of one network reference are of one chain: an authorization, an increment, a clearing of both.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { event: 'authorization', amount: '50.00', sent: 0 },
      { event: 'authorization', amount: '10.00', sent: 1 },
      { event: 'clearing', amount: '60.00', sent: 2, final: true },
    ],
    then: {
      card: '40.00 0.00 60.00',
      master: '9.30 0.00',
      told: ['authorization 50.00', 'authorization 10.00', 'settle 60.00', 'fee/settle_fee 0.70'],
    },
  },
  {
    rule: 'An advice is held by force: on a frozen card, and below zero.',
    given: { card: '10', master: '100', more: { status: 'frozen' } },
    when: [{ event: 'advice', amount: '15.00', sent: 0 }],
    then: { card: '-5.00 15.00 0.00', told: ['authorization 15.00 forced'] },
  },
  {
    rule: 'A released forced authorization goes back to the buffer, so far as it has drawn from it.',
    given: { card: '75', buffer: '25', master: '100' },
    when: [
      { event: 'advice', amount: '20.00', sent: 0 },
      { event: 'reversal', amount: '15.00', sent: 1 },
      { event: 'reversal', amount: '5.00', sent: 2 },
    ],
    then: {
      card: '75.00 0.00 0.00',
      buffer: '25.00',
      told: [
        'topup 20.00 from the buffer',
        'authorization 20.00 forced',
        'cancel 15.00',
        'withdraw 15.00 from the buffer',
        'cancel 5.00',
        'withdraw 5.00 from the buffer',
      ],
    },
  },
  {
    rule: 'A release goes to the buffer no further than the card stands above zero.',
    given: { card: '75', buffer: '25', master: '100' },
    when: [
      { event: 'advice', amount: '120.00', sent: 0 },
      { event: 'reversal', amount: '10.00', sent: 1 },
      { event: 'reversal', amount: '25.00', sent: 2 },
      { event: 'clearing', amount: '80.00', sent: 3, final: true },
      { event: 'refund', amount: '80.00', sent: 4 },
    ],
    then: {
      card: '80.00 0.00 0.00',
      buffer: '20.00',
      status: 'active',
      told: [
        'topup 25.00 from the buffer',
        'authorization 120.00 forced',
        'freeze 0.00',
        'cancel 10.00',
        'cancel 25.00',
        'withdraw 15.00 from the buffer',
        'unfreeze 0.00',
        'settle 80.00',
        'cancel 5.00',
        'withdraw 5.00 from the buffer',
        'refund 80.00',
      ],
    },
  },
  {
    rule: 'A release of more than was drawn from the buffer leaves the rest on the card.',
    given: { card: '75', buffer: '25', master: '100' },
    when: [
      { event: 'authorization', amount: '50.00', sent: 0 },
      { event: 'advice', amount: '20.00', sent: 1 },
      { event: 'reversal', amount: '70.00', sent: 2 },
    ],
    then: {
      card: '75.00 0.00 0.00',
      buffer: '25.00',
      told: [
        'authorization 50.00',
        'topup 20.00 from the buffer',
        'authorization 20.00 forced',
        'cancel 70.00',
        'withdraw 20.00 from the buffer',
      ],
    },
  },
  {
    rule: 'An authorization of zero asks whether the card may be used: nothing is held or told.',
    given: { card: '10', master: '10', fees: FEE },
    when: [{ event: 'authorization', amount: '0.00', sent: 0 }],
    then: { card: '10.00 0.00 0.00', master: '10.00 0.00', told: [] },
  },
  {
    rule: 'An authorization of zero is declined where the card may not be used, as others are.',
    given: { card: '10', master: '10', fees: { decline: '0.20' }, more: { status: 'frozen' } },
    when: [{ event: 'authorization', amount: '0.00', sent: 0, declined: 'card_frozen' }],
    then: { card: '10.00 0.00 0.00', master: '9.80 0.00', told: ['decline 0.00', 'fee/decline_fee 0.20'] },
  },
  {
    rule: 'A clearing before its authorization is a force post; the authorization then holds nothing more.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { event: 'clearing', amount: '30.00', sent: 1 },
      { event: 'authorization', amount: '30.00', sent: 0 },
    ],
    then: {
      card: '70.00 0.00 30.00',
      master: '9.60 0.00',
      told: ['authorization 30.00 forced', 'settle 30.00', 'fee/settle_fee 0.40'],
    },
  },
  {
    rule: 'Where the clearing was of a part, the late authorization holds the rest.',
    given: { card: '100', master: '100' },
    when: [
      { event: 'clearing', amount: '20.00', sent: 1 },
      { event: 'authorization', amount: '50.00', sent: 0 },
    ],
    then: {
      card: '50.00 30.00 20.00',
      told: ['authorization 20.00 forced', 'settle 20.00', 'authorization 30.00'],
    },
  },
  {
    rule: 'Where the clearing was final, the late authorization holds nothing, whatever its amount.',
    given: { card: '100', master: '100' },
    when: [
      { event: 'clearing', amount: '20.00', sent: 1, final: true },
      { event: 'authorization', amount: '50.00', sent: 0 },
    ],
    then: { card: '80.00 0.00 20.00', told: ['authorization 20.00 forced', 'settle 20.00'] },
  },
  {
    rule: 'An authorization that was sent after the clearing is a new one.',
    given: { card: '100', master: '100' },
    when: [
      { event: 'clearing', amount: '20.00', sent: 1, final: true },
      { event: 'authorization', amount: '50.00', sent: 2 },
    ],
    then: {
      card: '30.00 50.00 20.00',
      told: ['authorization 20.00 forced', 'settle 20.00', 'authorization 50.00'],
    },
  },
  {
    rule: 'A reversal before its authorization releases that at once; the client sees both.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { event: 'reversal', amount: '30.00', sent: 1 },
      { event: 'authorization', amount: '40.00', sent: 0 },
    ],
    then: {
      card: '90.00 10.00 0.00',
      master: '9.87 0.13',
      told: ['authorization 40.00', 'cancel 30.00'],
    },
  },
  {
    rule: 'A reversal releases what is held, and is never refused; a clearing after it is booked by force.',
    given: { card: '100', master: '100' },
    when: [
      { event: 'authorization', amount: '40.00', sent: 0 },
      { event: 'reversal', amount: '45.00', sent: 1 },
      { event: 'clearing', amount: '40.00', sent: 2 },
    ],
    then: {
      card: '60.00 0.00 40.00',
      told: ['authorization 40.00', 'cancel 40.00', 'authorization 40.00 forced', 'settle 40.00'],
    },
  },
  {
    rule: 'A refund of more than was settled, or of what is not known, stands alone.',
    given: { card: '100', master: '100' },
    when: [
      { event: 'refund', amount: '5.00', sent: 2 },
      { event: 'clearing', amount: '20.00', sent: 1 },
      { event: 'refund', amount: '25.00', sent: 3 },
    ],
    then: {
      card: '110.00 0.00 -10.00',
      told: ['refund 5.00', 'authorization 20.00 forced', 'settle 20.00', 'refund 25.00'],
    },
  },
  {
    rule: 'A message in another currency is of a chain of its own.',
    given: { card: '100', master: '100', more: { rates: { 'EUR USD': '1.10' } } },
    when: [
      { event: 'authorization', amount: '20.00', sent: 0 },
      { event: 'clearing', amount: '20.00', sent: 1, currency: 'EUR' },
    ],
    then: {
      card: '58.00 20.00 22.00',
      told: ['authorization 20.00', 'authorization 22.00 forced', 'settle 22.00'],
    },
  },
  {
    rule: 'What holds although it was declined for want of time is released; a reversal of it by the network then releases nothing.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { event: 'authorization', amount: '50.00', sent: 0 },
      { event: 'authorization', amount: '30.00', sent: 1 },
      { event: 'unanswered', amount: '30.00', sent: 1, of: 2 },
      { event: 'reversal', amount: '30.00', sent: 2 },
    ],
    then: {
      card: '50.00 50.00 0.00',
      master: '9.43 0.57',
      told: ['authorization 50.00', 'authorization 30.00', 'cancel 30.00'],
    },
  },
  {
    rule: 'Where the network has reversed it before that, it is not released again.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { event: 'authorization', amount: '50.00', sent: 0 },
      { event: 'authorization', amount: '30.00', sent: 1 },
      { event: 'reversal', amount: '30.00', sent: 2 },
      { event: 'unanswered', amount: '30.00', sent: 1, of: 2 },
    ],
    then: {
      card: '50.00 50.00 0.00',
      master: '9.43 0.57',
      told: ['authorization 50.00', 'authorization 30.00', 'cancel 30.00'],
    },
  },
  {
    rule: 'Nor where the network has reversed it before it held: what was approved stays held.',
    given: { card: '100', master: '100' },
    when: [
      { event: 'authorization', amount: '50.00', sent: 0 },
      { event: 'reversal', amount: '30.00', sent: 2 },
      { event: 'authorization', amount: '30.00', sent: 1 },
      { event: 'unanswered', amount: '30.00', sent: 1, of: 3 },
    ],
    then: {
      card: '50.00 50.00 0.00',
      told: ['authorization 50.00', 'cancel 30.00', 'authorization 30.00'],
    },
  },
  {
    rule: 'A reversal of all of it releases what was approved, and what was released before not again.',
    given: { card: '100', master: '100' },
    when: [
      { event: 'authorization', amount: '50.00', sent: 0 },
      { event: 'authorization', amount: '30.00', sent: 1 },
      { event: 'unanswered', amount: '30.00', sent: 1, of: 2 },
      { event: 'reversal', amount: '80.00', sent: 2 },
    ],
    then: {
      card: '100.00 0.00 0.00',
      told: ['authorization 50.00', 'authorization 30.00', 'cancel 30.00', 'cancel 50.00'],
    },
  },
  {
    rule: 'An authorization in a currency that has no rate is declined at once, and costs nothing.',
    given: { card: '100', master: '10', fees: { decline: '0.20' } },
    when: [
      { event: 'authorization', amount: '20.00', currency: 'EUR', sent: 0, declined: 'processing_error' },
    ],
    then: { card: '100.00 0.00 0.00', master: '10.00 0.00', told: ['decline 0.00'] },
  },
  {
    rule: 'Where the card may not be used it is declined for that, as others are.',
    given: { card: '100', master: '10', fees: { decline: '0.20' }, more: { status: 'frozen' } },
    when: [{ event: 'authorization', amount: '20.00', currency: 'EUR', sent: 0, declined: 'card_frozen' }],
    then: { card: '100.00 0.00 0.00', master: '9.80 0.00', told: ['decline 0.00', 'fee/decline_fee 0.20'] },
  },
  {
    rule: 'What was declined for want of time is recorded without a rate, too.',
    given: { card: '100', master: '10' },
    when: [{ event: 'unanswered', amount: '20.00', currency: 'EUR', sent: 0, declined: 'processing_error' }],
    then: { card: '100.00 0.00 0.00', told: ['decline 0.00'] },
  },
  {
    rule: 'And where it comes to more than a card can be charged.',
    given: { card: '100', master: '10', more: { rates: { 'EUR USD': '1000000000' } } },
    when: [
      { event: 'unanswered', amount: '900000000.00', currency: 'EUR', sent: 0, declined: 'processing_error' },
    ],
    then: { card: '100.00 0.00 0.00', told: ['decline 0.00'] },
  },
];
