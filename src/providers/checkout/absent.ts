import { ProviderAway } from '../http/errors';
import type { CheckoutProvider } from './port';

/** Where no checkout is configured: nothing can be paid, and nothing is lost. */
const away = () => Promise.reject(new ProviderAway('no checkout provider is configured'));

export const absentCheckout: CheckoutProvider = {
  createSession: away,
  getSession: away,
  refund: away,
  verify: () => undefined,
};
