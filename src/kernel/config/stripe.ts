import { z } from 'zod';
import { isCurrency } from '../money/currencies';
import { wrongAddress } from './parties';

/** Where the API of Stripe is reached. */
export interface StripeServer {
  host: string;
  port: number;
  protocol: 'http' | 'https';
}

export interface StripeSettings {
  /** Absent: Stripe's own address. */
  server?: StripeServer | undefined;
  /** `sk_…`, or a restricted key, `rk_…`. */
  secretKey: string;
  /** `whsec_…` of the webhook endpoint that is registered at Stripe. */
  webhookSecret: string;
}

/** How cards of a BIN are made at Stripe. */
const programmeSchema = z.strictObject({
  /** The card's currency at Stripe. An order in another currency is refused. */
  currency: z.string().refine(isCurrency, 'must be a currency'),
  type: z.enum(['virtual', 'physical']).default('virtual'),
  personalizationDesign: z.string().min(1).optional(),
  /** Service of the shipment of a physical card. */
  shipping: z.enum(['standard', 'express', 'priority']).default('standard'),
  /** The one cardholder of all cards of a B2B BIN. Absent: each card's own cardholder, which the review has registered. */
  cardholder: z
    .string()
    .regex(/^ich_\w+$/)
    .optional(),
});
export type StripeProgramme = z.output<typeof programmeSchema>;

export interface StripeIssuingSettings {
  /** Absent: Stripe's own address. */
  server?: StripeServer | undefined;
  secretKey: string;
  /** `whsec_…` of each endpoint for events of Issuing. */
  webhookSecrets: readonly string[];
  /** Whether Stripe is the card processor (`PARTY_CARD_PROCESSOR=stripe`). */
  processes: boolean;
  /** Whether Stripe registers and reviews cardholders (`PARTY_CARDHOLDER_REVIEW=stripe`). */
  reviews: boolean;
  /** By BIN. */
  programmes: Readonly<Record<string, StripeProgramme>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadStripe {
  stripe: StripeSettings | undefined;
  stripeIssuing: StripeIssuingSettings | undefined;
  /** A line for each wrong variable, without its value. */
  wrong: string[];
}

/**
 * Reads the settings of Stripe. `STRIPE_WEBHOOK_SECRET` switches Checkout on, and `PARTY_…=stripe` switches Issuing on.
 * The key must be a test key in the sandbox and a live key in live mode.
 */
export function readStripe(given: Environment): ReadStripe {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, MODE = 'sandbox' } = given;
  const processes = given['PARTY_CARD_PROCESSOR'] === 'stripe';
  const reviews = given['PARTY_CARDHOLDER_REVIEW'] === 'stripe';
  const issues = processes || reviews;
  const none = { stripe: undefined, stripeIssuing: undefined };
  if (secretKey === undefined && webhookSecret === undefined && !issues) return { ...none, wrong: [] };
  if (secretKey === undefined || (webhookSecret === undefined && !issues)) {
    const wrong = [
      'STRIPE_SECRET_KEY: must be given together with STRIPE_WEBHOOK_SECRET, or with PARTY_CARD_PROCESSOR=stripe',
    ];
    return { ...none, wrong };
  }
  const wanted = MODE === 'live' ? 'live' : 'test';
  const wrong =
    /_live_/.test(secretKey) === (wanted === 'live')
      ? []
      : [`STRIPE_SECRET_KEY: MODE=${MODE} needs a ${wanted} key`];
  const { server, wrong: wrongServer } = readServer(given['STRIPE_URL']);
  const issuing = issues ? readIssuing(given) : { webhookSecrets: [], programmes: {}, wrong: [] };
  const { webhookSecrets, programmes } = issuing;
  return {
    stripe: webhookSecret === undefined ? undefined : { secretKey, webhookSecret, ...server },
    stripeIssuing: issues
      ? { secretKey, webhookSecrets, processes, reviews, programmes, ...server }
      : undefined,
    wrong: [...wrong, ...wrongServer, ...issuing.wrong],
  };
}

function readServer(url: string | undefined): { server: { server?: StripeServer }; wrong: string[] } {
  const wrong = url === undefined ? [] : wrongAddress('STRIPE_URL', url);
  if (url === undefined || wrong.length > 0) return { server: {}, wrong };
  const { protocol, hostname: host, port } = new URL(url);
  const [name, usual] = protocol === 'http:' ? (['http', 80] as const) : (['https', 443] as const);
  return { server: { server: { host, port: port === '' ? usual : Number(port), protocol: name } }, wrong };
}

interface ReadIssuing extends Pick<StripeIssuingSettings, 'webhookSecrets' | 'programmes'> {
  wrong: string[];
}

function readIssuing(given: Environment): ReadIssuing {
  const secrets = given['STRIPE_ISSUING_WEBHOOK_SECRET']?.split(',').map((secret) => secret.trim()) ?? [];
  const { programmes, wrong } = readProgrammes(given);
  const wrongSecrets =
    secrets.length > 0 && secrets.every((secret) => /^whsec_\w+$/.test(secret))
      ? []
      : [
          'STRIPE_ISSUING_WEBHOOK_SECRET: must be the signing secrets of endpoints at Stripe (whsec_…), separated by commas',
        ];
  return { webhookSecrets: secrets, programmes, wrong: [...wrongSecrets, ...wrong] };
}

const PROGRAMMES = 'STRIPE_ISSUING_PROGRAMMES';

function readProgrammes(given: Environment): Pick<ReadIssuing, 'programmes' | 'wrong'> {
  const text = given[PROGRAMMES];
  if (text === undefined) {
    const isNeeded = given['PARTY_CARD_PROCESSOR'] === 'stripe';
    return { programmes: {}, wrong: isNeeded ? [`${PROGRAMMES}: must name each BIN’s programme`] : [] };
  }
  const parsed = z.record(z.string().regex(/^\d{6,8}$/), programmeSchema).safeParse(jsonIn(text));
  if (parsed.success) return { programmes: parsed.data, wrong: [] };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  return { programmes: {}, wrong: [`${PROGRAMMES}: is no JSON of programmes by BIN (at "${place}")`] };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
