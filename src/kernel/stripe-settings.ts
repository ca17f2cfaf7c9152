export interface StripeSettings {
  /** `sk_…`, or a restricted one, `rk_…`. */
  secretKey: string;
  /** `whsec_…`: of the endpoint that is registered with the party. */
  webhookSecret: string;
}

/** Half of it is wrong, and so is a key that is not for this mode: test money is not real, nor the reverse. */
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
