import { defineParty } from '../define';
import { createHttpCheckout } from './http';
import { checkoutProtocol } from './protocol';
import { createCheckoutParty } from './sandbox/application';

export const checkoutParty = defineParty({
  protocol: checkoutProtocol,
  adapter: createHttpCheckout,
  sandbox: createCheckoutParty,
});
