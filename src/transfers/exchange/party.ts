/** Callback path of the exchange for orders and withdrawals. */
export const EXCHANGE_CALLBACKS = '/callbacks/exchange';
