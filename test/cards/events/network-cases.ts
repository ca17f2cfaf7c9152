import type { Case } from './cases';

/** A message of one network transaction. `sent` is the minute at which it was sent, which decides what is late. */
export interface NetworkStep {
  event: 'authorization' | 'advice' | 'clearing' | 'reversal' | 'refund' | 'unanswered';
  /** For `unanswered`: the step whose hold is released, because it was answered with a decline. */
  of?: number;
  amount: string;
  sent: number;
  currency?: string;
  final?: true;
  declined?: string;
}

/** Cases for the messages of one network transaction, in the order of their arrival. */
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
    rule: 'A late authorization holds the rest when the clearing was of a part.',
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
    rule: 'A late authorization holds nothing when the clearing was final, whatever its amount.',
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
    rule: 'A reversal releases the held amount and is never refused; a later clearing is booked by force.',
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
    rule: 'A refund of more than was settled, or of an unknown transaction, stands alone.',
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
    rule: 'A message in another currency belongs to a chain of its own.',
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
    rule: 'A hold whose authorization was declined for want of time is released; its reversal by the network then releases nothing.',
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
    rule: 'A hold that the network reversed before its release is not released again.',
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
    rule: 'A reversal by the network before the late hold releases nothing either: the approved hold stays.',
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
    rule: 'A reversal of the whole amount releases the approved hold, and not again the part that was released before.',
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
    rule: 'An authorization without a rate on a card that may not be used is declined for the state of the card.',
    given: { card: '100', master: '10', fees: { decline: '0.20' }, more: { status: 'frozen' } },
    when: [{ event: 'authorization', amount: '20.00', currency: 'EUR', sent: 0, declined: 'card_frozen' }],
    then: { card: '100.00 0.00 0.00', master: '9.80 0.00', told: ['decline 0.00', 'fee/decline_fee 0.20'] },
  },
  {
    rule: 'A decline for want of time is recorded without a rate, too.',
    given: { card: '100', master: '10' },
    when: [{ event: 'unanswered', amount: '20.00', currency: 'EUR', sent: 0, declined: 'processing_error' }],
    then: { card: '100.00 0.00 0.00', told: ['decline 0.00'] },
  },
  {
    rule: 'A decline for want of time is recorded even if its amount is more than a card can be charged.',
    given: { card: '100', master: '10', more: { rates: { 'EUR USD': '1000000000' } } },
    when: [
      { event: 'unanswered', amount: '900000000.00', currency: 'EUR', sent: 0, declined: 'processing_error' },
    ],
    then: { card: '100.00 0.00 0.00', told: ['decline 0.00'] },
  },
];
