/** Where the exchange tells that an order or a withdrawal has moved. */
export const EXCHANGE_CALLBACKS = '/callbacks/exchange';
