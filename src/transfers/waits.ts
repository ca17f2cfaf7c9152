/**
 * Lines for operators in Temporal's UI: what a transfer waits for, by its workflow and status. Workflows import this
 * file, so it must not import what a workflow may not.
 */
export const WAITS = {
  depositLifecycle: {
    created: 'Waits for the page of the checkout.',
    awaiting_payment: 'Waits for the payer.',
    processing: 'Waits for the settlement.',
    manual_review: "Waits for an operator's decision, or for what was decided to be done.",
    completed: 'Credited: a refund is under way.',
  },
  payoutLifecycle: {
    pending_approval: "Waits for an operator's decision: the total is above the tenant's threshold.",
    processing: 'Waits for the screening of its destination, or for the party that has the order.',
    sent: 'Sent: the party has not confirmed that it arrived.',
  },
  ibanPayout: {
    pending_approval: "Waits for an operator's decision: the total is above the company's threshold.",
    processing: 'Ordered: the payouts party has not sent it, or has not answered, yet.',
    sent: 'The payouts party has sent it, and has not confirmed that it arrived.',
  },
  ibanCredit: {
    received: 'Asking the bank for the payment.',
    suspended: 'The bank gives it back to its payer.',
  },
  chainDeposit: {
    confirming: 'Waits for the blocks that make it final, or for the screening party.',
    credited: 'Credited: waits for its return to the chain, or for the screening of another amount.',
    uncredited: 'Not credited: waits for its return to the chain, or for the screening party.',
  },
  exchangeOrder: {
    created: 'Asking the exchange.',
    executing: 'The exchange has it: more of it may be dealt.',
    awaiting_settlement: 'Dealt: waits until a check of the settlement finds that what was bought has come.',
  },
  exchangeWithdrawal: {
    pending_approval: "Waits for an operator's decision: the total is above the tenant's threshold.",
    processing: 'Ordered: the exchange has not sent it, or has not answered, yet.',
    sent: 'The exchange has sent it, and has not confirmed that it arrived.',
  },
  externalCardTransfer: {
    pending_approval: "Waits for an operator's decision: it is above the tenant's thresholds.",
    pending: 'Asking the card acquirer.',
    requires_action: 'The payer must confirm on the page of the card’s bank.',
    processing: 'The card acquirer has taken it on; the money is on its way.',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

/** The line about a transfer that has ended. */
export const NOTHING_LEFT = 'Nothing is left to wait for.';

/** The line about a transfer. Undefined for a workflow of no transfer, or a status without a line. */
export function waitOf(workflow: string, status: string): string | undefined {
  const waits: Record<string, Readonly<Record<string, string>>> = WAITS;
  return waits[workflow]?.[status];
}
