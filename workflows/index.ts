/**
 * Every workflow, by the name that commands and schedules use. This file is what the bundle is made of.
 *
 * A workflow that has once landed is changed behind `patched()`, because runs that began before the change are replayed
 * by the new code: see workers/worker.ts.
 */
export { authorizationExpiry } from './authorization-expiry';
export { cardClosure } from './card-closure';
export { cardIssuance } from './card-issuance';
export { cardTokenization } from './card-tokenization';
export { cardholderSubmission } from './cardholder-submission';
export { checkoutPayment } from './checkout-payment';
export { depositLifecycle } from './deposit-lifecycle';
export { documentRemoval } from './document-removal';
export { externalCardTransfer } from './external-card-transfer';
export { housekeeping } from './housekeeping';
export { ibanCredit } from './iban-credit';
export { ibanCreditCatchUp } from './iban-credit-catch-up';
export { ibanMonthlyFees } from './iban-monthly-fees';
export { ibanPayout } from './iban-payout';
export { kycReview } from './kyc-review';
export { payoutLifecycle } from './payout-lifecycle';
export { webhookDispatcher } from './webhook-dispatcher';
export { webhookRecovery } from './webhook-recovery';
