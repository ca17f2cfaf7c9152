/**
 * Every workflow under the name that commands and schedules use. The bundle of the workers starts from this file.
 *
 * A released workflow is changed behind `patched()`, because the new code replays runs that began before the change
 * (README.md).
 */
export { auditHead } from './audit-head';
export { authorizationExpiry } from './authorization-expiry';
export { cardClosure } from './card-closure';
export { cardIssuance } from './card-issuance';
export { cardOperation } from './card-operation';
export { cardTokenization } from './card-tokenization';
export { cardholderSubmission } from './cardholder-submission';
export { chainReading } from './chain/chain-reading';
export { chainWatcher } from './chain/chain-watcher';
export { gasAutoSweep } from './chain/gas-auto-sweep';
export { gasOperation } from './chain/gas-operation';
export { walletAllocation } from './chain/wallet-allocation';
export { challengeCode } from './challenge-code';
export { documentRemoval } from './document-removal';
export { housekeeping } from './housekeeping';
export { kycReview } from './kyc-review';
export { operatorMail } from './operator-mail';
export { chainDeposit } from './transfers/chain-deposit';
export { checkoutPayment } from './transfers/checkout-payment';
export { depositLifecycle } from './transfers/deposit-lifecycle';
export { exchangeOrder } from './transfers/exchange-order';
export { exchangeWithdrawal } from './transfers/exchange-withdrawal';
export { externalCardTransfer } from './transfers/external-card-transfer';
export { ibanCredit } from './transfers/iban-credit';
export { ibanMonthlyFees } from './transfers/iban-monthly-fees';
export { ibanPayout } from './transfers/iban-payout';
export { partyWatcher } from './transfers/party-watcher';
export { payoutLifecycle } from './transfers/payout-lifecycle';
export { settlementReading } from './transfers/settlement-reading';
export { unansweredAuthorization } from './unanswered-authorization';
export { webhookDispatcher } from './webhook-dispatcher';
export { webhookRecovery } from './webhook-recovery';
