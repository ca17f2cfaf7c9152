import Stripe from 'stripe';

export interface StripeClientOptions {
  /** `sk_…`, or a restricted key, `rk_…`. */
  secretKey: string;
  /** Replaces Stripe's server, for tests. */
  server?: { host: string; port: number; protocol: 'http' } | undefined;
}

/** Shorter than any activity's time-out. The workflow retries, so the client does not. */
const TIMEOUT_MS = 10_000;

export const createStripeClient = ({ secretKey, server = undefined }: StripeClientOptions): Stripe =>
  new Stripe(secretKey, {
    ...server,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 0,
    telemetry: false,
  });
