import { PAYOUT_COMPONENTS } from '../../payouts/kind';
import { type PayoutKind, paidByParty } from '../../payouts/paid-by-party';

/** Callback path of the payouts party for payouts from virtual IBANs. */
export const IBAN_PAYOUT_CALLBACKS = '/callbacks/iban-payouts';

/**
 * A payout from a virtual IBAN by SEPA (decisions part 4, Payouts, virtual IBAN), in EUR. The party's name for it is
 * its id. A payout under way goes on when its IBAN is disabled, and its returns are credited to the IBAN.
 */
export const ibanPayoutKind: PayoutKind = paidByParty({
  name: 'iban_payout',
  idKind: 'ibanPayout',
  workflow: 'ibanPayout',
  prefix: 'iban-payout-',
  summary: 'Payout from a virtual IBAN',
  components: {
    ...PAYOUT_COMPONENTS,
    paid: { on: 'client', up: 'withdraw/iban_payout', down: 'deposit/iban_payout_reversed' },
    fee: { on: 'client', up: 'fee/iban_fee', down: 'deposit/iban_fee_reversed' },
  },
  fallbacks: { failed: 'failed', returned: 'returned' },
  callbackPath: IBAN_PAYOUT_CALLBACKS,
  table: 'iban_payouts',
});
