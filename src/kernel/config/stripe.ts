export interface StripeSettings {
  /** `sk_…`, or a restricted key, `rk_…`. */
  secretKey: string;
  /** `whsec_…` of the webhook endpoint that is registered at Stripe. */
  webhookSecret: string;
}

/**
 * Reads the settings of Stripe. Both variables are required, and the key must be a test key in the sandbox and a live
 * key in live mode.
 */
export function readStripe(given: Readonly<Record<string, string | undefined>>): {
  stripe: StripeSettings | undefined;
  wrong: string[];
} {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, MODE = 'sandbox' } = given;
  if (secretKey === undefined && webhookSecret === undefined) return { stripe: undefined, wrong: [] };
  if (secretKey === undefined || webhookSecret === undefined) {
    const wrong = ['STRIPE_SECRET_KEY: must be given together with STRIPE_WEBHOOK_SECRET'];
    return { stripe: undefined, wrong };
  }
  const wanted = MODE === 'live' ? 'live' : 'test';
  const wrong =
    /_live_/.test(secretKey) === (wanted === 'live')
      ? []
      : [`STRIPE_SECRET_KEY: MODE=${MODE} needs a ${wanted} key`];
  return { stripe: { secretKey, webhookSecret }, wrong };
}
