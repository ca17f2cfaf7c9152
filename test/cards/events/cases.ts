import type { SceneOptions } from './scene';

/**
 * Every rule of card events as a table: the situation, the messages, the balances afterwards and the events for the
 * client. Balances are `available pending spent` of a card and `available pending` of an account. `cases.test.ts` plays
 * the table, and `docs/card-events.md` is printed from it.
 */
export interface Case {
  rule: string;
  given: {
    /** Available on the card; on the master account; on the user's account, where it funds the card. */
    card?: string;
    master?: string;
    account?: string;
    /** The buffer of the card. */
    buffer?: string;
    /** Settle fee as `fixed + percent%`, other fees as amounts. */
    fees?: { settleFixed?: string; settlePercent?: string; decline?: string; topUp?: string };
    more?: Omit<SceneOptions, 'card' | 'master' | 'account' | 'buffer' | 'programme'>;
    programme?: { markupPercent?: string; maxAuthorization?: string };
  };
  when: Step[];
  then: {
    card: string;
    master?: string;
    account?: string;
    buffer?: string;
    told: string[];
    status?: string;
  };
}

/** A message. `of` is the step (from 1) whose reference it names. `refused` is the code of its refusal. */
export interface Step {
  type: string;
  amount?: string;
  currency?: string;
  of?: number;
  referenceId?: string;
  final?: boolean;
  reason?: string;
  merchant?: { mcc?: string; country?: string };
  channel?: string;
  refused?: string;
  declined?: string;
}

const FEE = { settleFixed: '0.10', settlePercent: '1' };

export const CASES: Case[] = [
  {
    rule: 'An authorization moves the amount from available to pending and holds the settle fee on the master account.',
    given: { card: '100', master: '10', fees: FEE },
    when: [{ type: 'authorization', amount: '50.00' }],
    then: { card: '50.00 50.00 0.00', master: '9.40 0.60', told: ['authorization 50.00'] },
  },
  {
    rule: 'A settlement in parts takes its share of the held fee; the last part takes the exact rest.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'settle', amount: '20.00', of: 1 },
      { type: 'settle', amount: '30.00', of: 1 },
    ],
    then: {
      card: '50.00 0.00 50.00',
      master: '9.40 0.00',
      told: [
        'authorization 50.00',
        'settle 20.00',
        'fee/settle_fee 0.24',
        'settle 30.00',
        'fee/settle_fee 0.36',
      ],
    },
  },
  {
    rule: 'A final settlement below the authorization releases the rest, and the fee that was held for it.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'settle', amount: '30.00', final: true, of: 1 },
    ],
    then: {
      card: '70.00 0.00 30.00',
      master: '9.64 0.00',
      told: ['authorization 50.00', 'settle 30.00', 'fee/settle_fee 0.36', 'cancel 20.00'],
    },
  },
  {
    rule: 'A settlement without an amount settles all that is held.',
    given: { card: '100' },
    when: [
      { type: 'authorization', amount: '40.00' },
      { type: 'settle', of: 1 },
    ],
    then: { card: '60.00 0.00 40.00', told: ['authorization 40.00', 'settle 40.00'] },
  },
  {
    rule: 'A cancel releases the held amount and its fee.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'cancel', of: 1 },
    ],
    then: { card: '100.00 0.00 0.00', master: '10.00 0.00', told: ['authorization 50.00', 'cancel 50.00'] },
  },
  {
    rule: 'A partial cancel leaves the rest held, and the rest can be settled.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'cancel', amount: '20.00', of: 1 },
      { type: 'settle', amount: '30.00', of: 1 },
    ],
    then: {
      card: '70.00 0.00 30.00',
      master: '9.64 0.00',
      told: ['authorization 50.00', 'cancel 20.00', 'settle 30.00', 'fee/settle_fee 0.36'],
    },
  },
  {
    rule: 'A cancel of more than is held is refused, and one where nothing is held.',
    given: { card: '100' },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'cancel', amount: '50.01', of: 1, refused: 'limit_exceeded' },
      { type: 'cancel', of: 1 },
      { type: 'cancel', of: 1, refused: 'invalid_transition' },
    ],
    then: { card: '100.00 0.00 0.00', told: ['authorization 50.00', 'cancel 50.00'] },
  },
  {
    rule: 'A cancel or a refund of something unknown is 404.',
    given: { card: '100' },
    when: [
      { type: 'cancel', referenceId: 'ref_unknown', refused: 'not_found' },
      { type: 'cancel', refused: 'not_found' },
      { type: 'refund', amount: '1.00', referenceId: 'ref_unknown', refused: 'not_found' },
    ],
    then: { card: '100.00 0.00 0.00', told: [] },
  },
  {
    rule: 'Not enough on the card: a decline with its reason. The decline fee may overdraw the master account.',
    given: { card: '10', master: '0', fees: { decline: '0.20' } },
    when: [{ type: 'authorization', amount: '10.01', declined: 'insufficient_funds' }],
    then: { card: '10.00 0.00 0.00', master: '-0.20 0.00', told: ['decline 10.01', 'fee/decline_fee 0.20'] },
  },
  {
    rule: 'Not enough on the master account for the settle fee: declined too.',
    given: { card: '100', master: '0.59', fees: FEE },
    when: [{ type: 'authorization', amount: '50.00', declined: 'insufficient_funds' }],
    then: { card: '100.00 0.00 0.00', master: '0.59 0.00', told: ['decline 50.00'] },
  },
  {
    rule: 'Exactly enough is enough.',
    given: { card: '50', master: '0.60', fees: FEE },
    when: [{ type: 'authorization', amount: '50.00' }],
    then: { card: '0.00 50.00 0.00', master: '0.00 0.60', told: ['authorization 50.00'] },
  },
  {
    rule: 'A frozen card declines; it can still be funded and withdrawn from.',
    given: { card: '10', master: '100', more: { status: 'frozen' } },
    when: [
      { type: 'authorization', amount: '1.00', declined: 'card_frozen' },
      { type: 'topup', amount: '5.00' },
      { type: 'withdraw', amount: '2.00' },
    ],
    then: {
      card: '13.00 0.00 0.00',
      master: '97.00 0.00',
      told: [
        'decline 1.00',
        'topup 5.00',
        'transfer/card_deposit 5.00',
        'withdraw 2.00',
        'transfer/card_withdraw 2.00',
      ],
      status: 'frozen',
    },
  },
  {
    rule: 'A merchant category that the programme blocks, and an amount above its limit, are declined.',
    given: { card: '100', programme: { maxAuthorization: '20' } },
    when: [
      { type: 'authorization', amount: '1.00', merchant: { mcc: '7995' }, declined: 'invalid_merchant' },
      { type: 'authorization', amount: '20.01', declined: 'limit_exceeded' },
      { type: 'authorization', amount: '20.00' },
    ],
    then: { card: '80.00 20.00 0.00', told: ['decline 1.00', 'decline 20.01', 'authorization 20.00'] },
  },
  {
    rule: 'A decline by the processor is recorded, with the fee.',
    given: { card: '100', master: '10', fees: { decline: '0.20' } },
    when: [{ type: 'decline', amount: '7.00', declined: 'do_not_honor' }],
    then: { card: '100.00 0.00 0.00', master: '9.80 0.00', told: ['decline 7.00', 'fee/decline_fee 0.20'] },
  },
  {
    rule: 'Over-settlement: the excess is authorized first, by force, with the percent of its fee.',
    given: { card: '60', master: '10', fees: FEE },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'settle', amount: '55.00', of: 1 },
    ],
    then: {
      card: '5.00 0.00 55.00',
      master: '9.35 0.00',
      told: ['authorization 50.00', 'authorization 5.00 forced', 'settle 55.00', 'fee/settle_fee 0.65'],
    },
  },
  {
    rule: 'A forced authorization may leave the card below zero; the card is frozen for it until it is covered.',
    given: { card: '50', master: '100' },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'settle', amount: '60.00', of: 1 },
      { type: 'authorization', amount: '1.00', declined: 'card_frozen' },
      { type: 'topup', amount: '15.00' },
    ],
    then: {
      card: '5.00 0.00 60.00',
      master: '85.00 0.00',
      told: [
        'authorization 50.00',
        'authorization 10.00 forced',
        'settle 60.00',
        'freeze 0.00',
        'decline 1.00',
        'topup 15.00',
        'transfer/card_deposit 15.00',
        'unfreeze 0.00',
      ],
      status: 'active',
    },
  },
  {
    rule: 'Force post: a settlement without an authorization is authorized by force, with both parts of the fee.',
    given: { card: '100', master: '10', fees: FEE },
    when: [{ type: 'settle', amount: '30.00' }],
    then: {
      card: '70.00 0.00 30.00',
      master: '9.60 0.00',
      told: ['authorization 30.00 forced', 'settle 30.00', 'fee/settle_fee 0.40'],
    },
  },
  {
    rule: 'A settlement with an unknown reference is a force post.',
    given: { card: '100' },
    when: [{ type: 'settle', amount: '30.00', referenceId: 'ref_unknown' }],
    then: { card: '70.00 0.00 30.00', told: ['authorization 30.00 forced', 'settle 30.00'] },
  },
  {
    rule: 'A settlement after a cancel is never refused.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'cancel', of: 1 },
      { type: 'settle', amount: '50.00', of: 1 },
    ],
    then: {
      card: '50.00 0.00 50.00',
      master: '9.50 0.00',
      told: [
        'authorization 50.00',
        'cancel 50.00',
        'authorization 50.00 forced',
        'settle 50.00',
        'fee/settle_fee 0.50',
      ],
    },
  },
  {
    rule: 'A settlement on a frozen card settles the held amount; an excess is forced.',
    given: { card: '50' },
    when: [
      { type: 'authorization', amount: '20.00' },
      { type: 'freeze', reason: 'manual' },
      { type: 'settle', amount: '25.00', of: 1 },
    ],
    then: {
      card: '25.00 0.00 25.00',
      told: ['authorization 20.00', 'freeze 0.00', 'authorization 5.00 forced', 'settle 25.00'],
      status: 'frozen',
    },
  },
  {
    rule: 'Refunds of a chain sum to at most its settled amount.',
    given: { card: '100' },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'settle', amount: '40.00', of: 1 },
      { type: 'refund', amount: '40.01', of: 1, refused: 'limit_exceeded' },
      { type: 'refund', amount: '15.00', of: 1 },
      { type: 'refund', amount: '25.01', of: 2, refused: 'limit_exceeded' },
      { type: 'refund', amount: '25.00', of: 2 },
    ],
    then: {
      card: '90.00 10.00 0.00',
      told: ['authorization 50.00', 'settle 40.00', 'refund 15.00', 'refund 25.00'],
    },
  },
  {
    rule: 'A refund before anything is settled is refused.',
    given: { card: '100' },
    when: [
      { type: 'authorization', amount: '50.00' },
      { type: 'refund', amount: '0.01', of: 1, refused: 'limit_exceeded' },
    ],
    then: { card: '50.00 50.00 0.00', told: ['authorization 50.00'] },
  },
  {
    rule: 'An unlinked refund stands alone, whatever was spent.',
    given: { card: '0' },
    when: [{ type: 'refund', amount: '12.34' }],
    then: { card: '12.34 0.00 -12.34', told: ['refund 12.34'] },
  },
  {
    rule: 'An authorization that names a chain adds to it; the fixed part of the fee is taken once.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { type: 'authorization', amount: '20.00' },
      { type: 'authorization', amount: '10.00', of: 1 },
      { type: 'settle', amount: '30.00', of: 2 },
    ],
    then: {
      card: '70.00 0.00 30.00',
      master: '9.60 0.00',
      told: ['authorization 20.00', 'authorization 10.00', 'settle 30.00', 'fee/settle_fee 0.40'],
    },
  },
  {
    rule: 'The limit applies to the total of the chain, less its released amounts.',
    given: { card: '100', programme: { maxAuthorization: '20' } },
    when: [
      { type: 'authorization', amount: '15.00' },
      { type: 'authorization', amount: '5.01', of: 1, declined: 'limit_exceeded' },
      { type: 'authorization', amount: '5.00', of: 1 },
      { type: 'cancel', amount: '10.00', of: 1 },
      { type: 'authorization', amount: '10.00', of: 1 },
    ],
    then: {
      card: '80.00 20.00 0.00',
      told: [
        'authorization 15.00',
        'decline 5.01',
        'authorization 5.00',
        'cancel 10.00',
        'authorization 10.00',
      ],
    },
  },
  {
    rule: 'A chain keeps the merchant of its first authorization, also when an increase names another one.',
    given: { card: '100' },
    when: [
      { type: 'authorization', amount: '5.00', merchant: { mcc: '5411' } },
      { type: 'authorization', amount: '5.00', of: 1, merchant: { mcc: '7995' } },
    ],
    then: { card: '90.00 10.00 0.00', told: ['authorization 5.00', 'authorization 5.00'] },
  },
  {
    rule: 'An authorization that names a settled or cancelled chain begins one of its own, with the whole fee, linked to it.',
    given: { card: '100', master: '10', fees: FEE },
    when: [
      { type: 'authorization', amount: '20.00' },
      { type: 'settle', amount: '20.00', of: 1 },
      { type: 'authorization', amount: '10.00', of: 1 },
      { type: 'cancel', of: 3 },
      { type: 'authorization', amount: '5.00', of: 3 },
      { type: 'refund', amount: '10.01', of: 3, refused: 'limit_exceeded' },
    ],
    then: {
      card: '75.00 5.00 20.00',
      master: '9.55 0.15',
      told: [
        'authorization 20.00',
        'settle 20.00',
        'fee/settle_fee 0.30',
        'authorization 10.00',
        'cancel 10.00',
        'authorization 5.00',
      ],
    },
  },
  {
    rule: 'Another currency: the rate with the markup stays with the authorization, the excess of its settlement included.',
    given: { card: '200', programme: { markupPercent: '2' }, more: { rates: { 'EUR USD': '1.10' } } },
    when: [
      { type: 'authorization', amount: '100.00', currency: 'EUR' },
      { type: 'settle', amount: '110.00', of: 1 },
      { type: 'refund', amount: '55.00', of: 1 },
    ],
    then: {
      card: '138.29 0.00 61.71',
      told: ['authorization 112.20', 'authorization 11.22 forced', 'settle 123.42', 'refund 61.71'],
    },
  },
  {
    rule: 'Parts in another currency add up to the last minor unit, and end at zero.',
    given: {
      card: '10',
      master: '10',
      fees: { settlePercent: '1' },
      more: { rates: { 'EUR USD': '1.1111' } },
    },
    when: [
      { type: 'authorization', amount: '1.00', currency: 'EUR' },
      { type: 'settle', amount: '0.33', of: 1 },
      { type: 'settle', amount: '0.33', of: 1 },
      { type: 'settle', amount: '0.33', of: 1 },
      { type: 'cancel', amount: '0.01', of: 1 },
    ],
    then: {
      card: '8.91 0.00 1.09',
      master: '10.00 0.00',
      told: ['authorization 1.11', 'settle 0.36', 'settle 0.36', 'settle 0.37', 'cancel 0.02'],
    },
  },
  {
    rule: 'A part that rounds to zero is an event without an effect.',
    given: { card: '10', more: { rates: { 'JPY USD': '0.004' } } },
    when: [
      { type: 'authorization', amount: '100', currency: 'JPY' },
      { type: 'settle', amount: '1', of: 1 },
      { type: 'settle', amount: '99', of: 1 },
    ],
    then: { card: '9.60 0.00 0.40', told: ['authorization 0.40', 'settle 0.00', 'settle 0.40'] },
  },
  {
    rule: 'Without a fresh rate a message in another currency is refused, and others go on.',
    given: { card: '10' },
    when: [
      { type: 'authorization', amount: '1.00', currency: 'EUR', refused: 'unavailable' },
      { type: 'authorization', amount: '1.00' },
    ],
    then: { card: '9.00 1.00 0.00', told: ['authorization 1.00'] },
  },
  {
    rule: "A message in a currency that is not its authorization's is refused.",
    given: { card: '10', more: { rates: { 'EUR USD': '1.10' } } },
    when: [
      { type: 'authorization', amount: '1.00' },
      { type: 'settle', amount: '1.00', currency: 'EUR', of: 1, refused: 'invalid_request' },
    ],
    then: { card: '9.00 1.00 0.00', told: ['authorization 1.00'] },
  },
  {
    rule: 'A top-up takes its fee from the account that funds the card; without cover nothing moves.',
    given: { card: '0', master: '1', account: '10', fees: { topUp: '0.25' } },
    when: [
      { type: 'topup', amount: '9.75' },
      { type: 'topup', amount: '0.01', refused: 'insufficient_funds' },
    ],
    then: {
      card: '9.75 0.00 0.00',
      master: '1.00 0.00',
      account: '0.00 0.00',
      told: ['topup 9.75', 'transfer/card_deposit 9.75', 'fee/topup_fee 0.25'],
    },
  },
  {
    rule: 'A withdrawal takes at most the available amount: held amounts stay.',
    given: { card: '10', master: '0' },
    when: [
      { type: 'authorization', amount: '4.00' },
      { type: 'withdraw', amount: '6.01', refused: 'insufficient_funds' },
      { type: 'withdraw', amount: '6.00' },
    ],
    then: {
      card: '0.00 4.00 0.00',
      master: '6.00 0.00',
      told: ['authorization 4.00', 'withdraw 6.00', 'transfer/card_withdraw 6.00'],
    },
  },
  {
    rule: 'Issuing takes the amount that was held for it; a card without an amount begins at zero.',
    given: { master: '100', more: { status: 'pending', initialAmount: '20', issueFee: '1' } },
    when: [{ type: 'issue' }],
    then: {
      card: '20.00 0.00 0.00',
      master: '79.00 0.00',
      told: ['issue 20.00', 'transfer/card_deposit 20.00', 'fee/issue_fee 1.00'],
      status: 'active',
    },
  },
  {
    rule: 'An issuance that the processor refuses releases its held amount and sends no event.',
    given: { master: '100', more: { status: 'pending', initialAmount: '20', issueFee: '1' } },
    when: [{ type: 'issue_failed' }],
    then: { card: '0.00 0.00 0.00', master: '100.00 0.00', told: [], status: 'failed' },
  },
  {
    rule: 'A pending card declines, is not funded and is not closed.',
    given: { master: '100', more: { status: 'pending' } },
    when: [
      { type: 'authorization', amount: '1.00', declined: 'card_not_active' },
      { type: 'topup', amount: '1.00', refused: 'card_not_active' },
      { type: 'close', refused: 'card_not_active' },
    ],
    then: { card: '0.00 0.00 0.00', told: ['decline 1.00'], status: 'pending' },
  },
  {
    rule: 'Freezing and unfreezing tell when the card stops and starts being usable; each reason stands for itself.',
    given: { card: '0' },
    when: [
      { type: 'freeze', reason: 'manual' },
      { type: 'freeze', reason: 'manual' },
      { type: 'freeze', reason: 'risk' },
      { type: 'unfreeze', reason: 'manual' },
      { type: 'unfreeze', reason: 'risk' },
    ],
    then: { card: '0.00 0.00 0.00', told: ['freeze 0.00', 'unfreeze 0.00'], status: 'active' },
  },
  {
    rule: 'Closing returns the available amount to the account; held amounts stay until they are settled or released.',
    given: { card: '100', master: '0' },
    when: [{ type: 'authorization', amount: '30.00' }, { type: 'close' }],
    then: {
      card: '0.00 30.00 0.00',
      master: '70.00 0.00',
      told: ['authorization 30.00', 'withdraw 70.00', 'transfer/card_closed_refund 70.00', 'close 0.00'],
      status: 'closed',
    },
  },
  {
    rule: 'A released hold of a closed card goes to its account.',
    given: { card: '100', master: '0' },
    when: [{ type: 'authorization', amount: '30.00' }, { type: 'close' }, { type: 'cancel', of: 1 }],
    then: {
      card: '0.00 0.00 0.00',
      master: '100.00 0.00',
      told: [
        'authorization 30.00',
        'withdraw 70.00',
        'transfer/card_closed_refund 70.00',
        'close 0.00',
        'cancel 30.00',
        'withdraw 30.00',
        'transfer/card_closed_refund 30.00',
      ],
    },
  },
  {
    rule: 'A refund on a closed card goes to its account.',
    given: { card: '30', master: '0' },
    when: [
      { type: 'authorization', amount: '30.00' },
      { type: 'settle', amount: '30.00', of: 1 },
      { type: 'close' },
      { type: 'refund', amount: '10.00', of: 1 },
    ],
    then: {
      card: '0.00 0.00 20.00',
      master: '10.00 0.00',
      told: [
        'authorization 30.00',
        'settle 30.00',
        'close 0.00',
        'refund 10.00',
        'withdraw 10.00',
        'transfer/card_closed_refund 10.00',
      ],
    },
  },
  {
    rule: 'A forced settlement on a closed card is paid by its account, by force.',
    given: { card: '0', master: '3' },
    when: [{ type: 'close' }, { type: 'settle', amount: '5.00' }],
    then: {
      card: '0.00 0.00 5.00',
      master: '-2.00 0.00',
      told: [
        'close 0.00',
        'authorization 5.00 forced',
        'settle 5.00',
        'topup 5.00 forced',
        'transfer/card_deposit 5.00',
      ],
    },
  },
  {
    rule: 'A closed card declines, and is neither funded nor frozen.',
    given: { card: '0', master: '10' },
    when: [
      { type: 'close' },
      { type: 'authorization', amount: '1.00', declined: 'card_closed' },
      { type: 'topup', amount: '1.00', refused: 'card_closed' },
      { type: 'freeze', reason: 'manual', refused: 'card_closed' },
      { type: 'close' },
    ],
    then: {
      card: '0.00 0.00 0.00',
      master: '10.00 0.00',
      told: ['close 0.00', 'decline 1.00'],
      status: 'closed',
    },
  },
  {
    rule: 'A card below zero is funded from its account, by force, before it is closed.',
    given: { card: '0', master: '3' },
    when: [{ type: 'settle', amount: '5.00' }, { type: 'close' }],
    then: {
      card: '0.00 0.00 5.00',
      master: '-2.00 0.00',
      told: [
        'authorization 5.00 forced',
        'settle 5.00',
        'freeze 0.00',
        'topup 5.00 forced',
        'transfer/card_deposit 5.00',
        'close 0.00',
      ],
      status: 'closed',
    },
  },
  {
    rule: 'A limit applies to the sum of the authorizations of a day, less their released amounts; declines do not count.',
    given: { card: '100', more: { limits: { card: { perDay: '50' } } } },
    when: [
      { type: 'authorization', amount: '30.00' },
      { type: 'authorization', amount: '20.01', declined: 'limit_exceeded' },
      { type: 'authorization', amount: '20.00' },
      { type: 'settle', amount: '25.00', of: 1, final: true },
      { type: 'authorization', amount: '5.01', declined: 'limit_exceeded' },
      { type: 'authorization', amount: '5.00' },
    ],
    then: {
      card: '50.00 25.00 25.00',
      told: [
        'authorization 30.00',
        'decline 20.01',
        'authorization 20.00',
        'settle 25.00',
        'cancel 5.00',
        'decline 5.01',
        'authorization 5.00',
      ],
    },
  },
  {
    rule: 'A forced authorization counts, and is never declined; a refund gives nothing back.',
    given: { card: '100', more: { limits: { card: { perTransaction: '20', perMonth: '40' } } } },
    when: [
      { type: 'settle', amount: '35.00' },
      { type: 'refund', amount: '35.00', of: 1 },
      { type: 'authorization', amount: '5.01', declined: 'limit_exceeded' },
      { type: 'authorization', amount: '5.00' },
    ],
    then: {
      card: '95.00 5.00 0.00',
      told: [
        ...['authorization 35.00 forced', 'settle 35.00', 'refund 35.00', 'decline 5.01'],
        'authorization 5.00',
      ],
    },
  },
  {
    rule: "A user's limit holds for all of their cards together; of it and the card's own the strictest counts.",
    given: {
      card: '100',
      more: { limits: { card: { perDay: '30' }, user: { perDay: '50', used: '25' } } },
    },
    when: [
      { type: 'authorization', amount: '25.01', declined: 'limit_exceeded' },
      { type: 'authorization', amount: '20.00' },
      { type: 'authorization', amount: '5.01', declined: 'limit_exceeded' },
      { type: 'cancel', of: 2 },
      { type: 'authorization', amount: '25.00' },
    ],
    then: {
      card: '75.00 25.00 0.00',
      told: ['decline 25.01', 'authorization 20.00', 'decline 5.01', 'cancel 20.00', 'authorization 25.00'],
    },
  },
  {
    rule: 'An increase counts with the amount that it adds, and its chain with its total.',
    given: { card: '100', more: { limits: { card: { perTransaction: '40', perDay: '60' } } } },
    when: [
      { type: 'authorization', amount: '30.00' },
      { type: 'authorization', amount: '10.01', of: 1, declined: 'limit_exceeded' },
      { type: 'authorization', amount: '10.00', of: 1 },
      { type: 'authorization', amount: '20.01', declined: 'limit_exceeded' },
      { type: 'authorization', amount: '20.00' },
    ],
    then: {
      card: '40.00 60.00 0.00',
      told: [
        ...['authorization 30.00', 'decline 10.01', 'authorization 10.00', 'decline 20.01'],
        'authorization 20.00',
      ],
    },
  },
  {
    rule: 'A payment on the internet without a challenge is declined where a limit asks for one. No other channel is challenged.',
    given: { card: '100', more: { limits: { card: { challengeEcommerce: true } } } },
    when: [
      { type: 'authorization', amount: '1.00', channel: 'ecommerce', declined: 'authentication_required' },
      { type: 'authorization', amount: '1.00', declined: 'authentication_required' },
      { type: 'authorization', amount: '2.00', channel: 'present' },
      { type: 'authorization', amount: '3.00', channel: 'atm' },
      { type: 'authorization', amount: '4.00', channel: 'moto' },
      { type: 'authorization', amount: '5.00', channel: 'merchant_initiated' },
      { type: 'settle', amount: '6.00' },
    ],
    then: {
      card: '80.00 14.00 6.00',
      told: [
        ...['decline 1.00', 'decline 1.00', 'authorization 2.00', 'authorization 3.00', 'authorization 4.00'],
        ...['authorization 5.00', 'authorization 6.00 forced', 'settle 6.00'],
      ],
    },
  },
  {
    rule: 'A challenge may be asked for above an amount, which is that of the whole chain, or of a merchant abroad.',
    given: {
      card: '100',
      more: { limits: { card: { challengeAbove: '30' }, user: { homeCountries: ['AT', 'DE'] } } },
    },
    when: [
      { type: 'authorization', amount: '30.00', merchant: { country: 'AUT' } },
      {
        type: 'authorization',
        amount: '0.01',
        of: 1,
        merchant: { country: 'AT' },
        declined: 'authentication_required',
      },
      { type: 'authorization', amount: '0.01', of: 1, channel: 'merchant_initiated' },
      {
        type: 'authorization',
        amount: '1.00',
        merchant: { country: 'FR' },
        declined: 'authentication_required',
      },
      { type: 'authorization', amount: '1.00', declined: 'authentication_required' },
      { type: 'authorization', amount: '1.00', merchant: { country: 'FR' }, channel: 'present' },
      { type: 'authorization', amount: '1.00', merchant: { country: 'DE' } },
    ],
    then: {
      card: '67.99 32.01 0.00',
      told: [
        ...['authorization 30.00', 'decline 0.01', 'authorization 0.01', 'decline 1.00', 'decline 1.00'],
        ...['authorization 1.00', 'authorization 1.00'],
      ],
    },
  },
  {
    rule: 'A merchant of a category that is not among the allowed ones, or of a blocked country however it is written, is declined.',
    given: {
      card: '100',
      more: { limits: { card: { allowedMccs: ['5411'] }, user: { blockedCountries: ['KP'] } } },
    },
    when: [
      { type: 'authorization', amount: '1.00', merchant: { mcc: '5812' }, declined: 'invalid_merchant' },
      { type: 'authorization', amount: '1.00', declined: 'invalid_merchant' },
      {
        type: 'authorization',
        amount: '1.00',
        declined: 'invalid_merchant',
        merchant: { mcc: '5411', country: 'PRK' },
      },
      { type: 'authorization', amount: '1.00', merchant: { mcc: '5411', country: 'KR' } },
    ],
    then: {
      card: '99.00 1.00 0.00',
      told: ['decline 1.00', 'decline 1.00', 'decline 1.00', 'authorization 1.00'],
    },
  },
  {
    rule: 'A forced amount takes the buffer first, then the principal.',
    given: { card: '75', buffer: '25', master: '10' },
    when: [
      { type: 'authorization', amount: '70.00' },
      { type: 'settle', amount: '90.00', of: 1, final: true },
    ],
    then: {
      card: '5.00 0.00 90.00',
      buffer: '5.00',
      told: [
        'authorization 70.00',
        'topup 20.00 from the buffer',
        'authorization 20.00 forced',
        'settle 90.00',
      ],
    },
  },
  {
    rule: 'The buffer is not there for an ordinary authorization, nor for a withdrawal.',
    given: { card: '75', buffer: '25', master: '10' },
    when: [
      { type: 'authorization', amount: '75.01', declined: 'insufficient_funds' },
      { type: 'withdraw', amount: '75.01', refused: 'insufficient_funds' },
    ],
    then: { card: '75.00 0.00 0.00', buffer: '25.00', told: ['decline 75.01'] },
  },
  {
    rule: 'A card below zero has an empty buffer, and is frozen.',
    given: { card: '75', buffer: '25', master: '10' },
    when: [{ type: 'settle', amount: '120.00' }],
    then: {
      card: '-20.00 0.00 120.00',
      buffer: '0.00',
      told: ['topup 25.00 from the buffer', 'authorization 120.00 forced', 'settle 120.00', 'freeze 0.00'],
      status: 'frozen',
    },
  },
  {
    rule: 'Closing returns the buffer too.',
    given: { card: '75', buffer: '25', master: '10' },
    when: [{ type: 'close' }],
    then: {
      card: '0.00 0.00 0.00',
      buffer: '0.00',
      master: '110.00 0.00',
      told: [
        'withdraw 75.00',
        'transfer/card_closed_refund 75.00',
        'close 0.00',
        'transfer/card_buffer_refund 25.00',
      ],
      status: 'closed',
    },
  },
  {
    rule: 'A card that is being closed declines, takes settlements, and is emptied when the processor has confirmed.',
    given: { card: '75', buffer: '25', master: '10' },
    when: [
      { type: 'begin_closure' },
      { type: 'authorization', amount: '1.00', declined: 'card_closed' },
      { type: 'settle', amount: '10.00' },
      { type: 'close' },
      { type: 'end_closure' },
    ],
    then: {
      card: '0.00 0.00 10.00',
      buffer: '0.00',
      master: '100.00 0.00',
      told: [
        'decline 1.00',
        'topup 10.00 from the buffer',
        'authorization 10.00 forced',
        'settle 10.00',
        'withdraw 75.00',
        'transfer/card_closed_refund 75.00',
        'close 0.00',
        'transfer/card_buffer_refund 15.00',
      ],
      status: 'closed',
    },
  },
  {
    rule: 'Frozen for insufficient funds by the client, a card stays frozen until it is unfrozen or funded.',
    given: { card: '5', master: '10' },
    when: [
      { type: 'freeze', reason: 'insufficient_funds' },
      { type: 'refund', amount: '1.00' },
      { type: 'topup', amount: '2.00' },
    ],
    then: {
      card: '8.00 0.00 -1.00',
      told: ['freeze 0.00', 'refund 1.00', 'topup 2.00', 'transfer/card_deposit 2.00', 'unfreeze 0.00'],
      status: 'active',
    },
  },
  {
    rule: 'A card below zero is not unfrozen for insufficient funds.',
    given: { card: '0', master: '10' },
    when: [
      { type: 'settle', amount: '5.00' },
      { type: 'unfreeze', reason: 'insufficient_funds', refused: 'invalid_transition' },
    ],
    then: {
      card: '-5.00 0.00 5.00',
      told: ['authorization 5.00 forced', 'settle 5.00', 'freeze 0.00'],
      status: 'frozen',
    },
  },
];
