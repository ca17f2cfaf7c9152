/** Capabilities that a tenant can be given, named as in `GET /v1/client/settings`. */
export const CAPABILITIES = [
  'transfer',
  'card_issuing',
  'deposit',
  'payout',
  'card_topup',
  'card_withdrawal',
  'virtual_iban',
  'exchange',
  'crypto',
] as const;

export type Capability = (typeof CAPABILITIES)[number];
