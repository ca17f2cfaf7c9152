import Stripe from 'stripe';
import type { StripeServer } from '../../kernel/config/stripe';

export interface StripeClientOptions {
  /** `sk_…`, or a restricted key, `rk_…`. */
  secretKey: string;
  /** Replaces Stripe's address. */
  server?: StripeServer | undefined;
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
