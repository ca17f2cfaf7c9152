/** Where the payouts party tells of payouts from virtual IBANs, and the bank of what it has received. */
export const IBAN_PAYOUT_CALLBACKS = '/callbacks/iban-payouts';
export const CREDIT_CALLBACK_PATH = '/callbacks/bank';
