/** The kind of the break for an order that a party reports and that we never gave. */
export const UNKNOWN_ORDER = 'party_order_unknown';
