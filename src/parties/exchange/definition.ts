import { defineParty } from '../define';
import { createHttpExchange } from './http';
import { exchangeProtocol } from './protocol';
import { createExchangeParty } from './sandbox/application';

export const exchangeParty = defineParty({
  protocol: exchangeProtocol,
  adapter: createHttpExchange,
  sandbox: createExchangeParty,
});
