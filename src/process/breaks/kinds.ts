/** The kind of the break for an order that a party reports and that we never gave. */
export const UNKNOWN_ORDER = 'party_order_unknown';
/** The kind of the break for money of a deposit that the party took back without an order of ours. Its subject is the deposit. */
export const UNKNOWN_REFUND = 'deposit_refund_not_ours';
