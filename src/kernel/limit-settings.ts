import { z } from 'zod';
import { isCurrency } from './money/currencies';
import { DECIMAL_TEXT, Decimal } from './money/money';

const limit = z.string().regex(DECIMAL_TEXT, 'must be a decimal such as 1000000').optional();

/** Variables that an API or a worker keeps for the whole installation when it starts. */
export const LIMIT_VARIABLES = {
  /** One credential may decide so much in a UTC day without a second person. */
  ADMIN_LIMIT: limit,
  /** The same for one tenant, by whichever credential. */
  ADMIN_TENANT_LIMIT: limit,
  /** The same for the installation. */
  ADMIN_INSTALLATION_LIMIT: limit,
  /** The limits are in this currency. */
  BASE_CURRENCY: z.string().refine(isCurrency, 'must be a known currency code such as USD').optional(),
  /** Whether changes of configurations take two people. Always in live mode. */
  DUAL_CONTROL: z.enum(['on', 'off']).optional(),
};

/** Limits of decisions without a second person, in the base currency; absent: the stored one stays. */
export interface LimitSettings {
  credential: Decimal | undefined;
  tenant: Decimal | undefined;
  installation: Decimal | undefined;
  /** A currency code. */
  base: string | undefined;
  dualControl: 'on' | 'off' | undefined;
}

type Variables = z.output<z.ZodObject<typeof LIMIT_VARIABLES>>;

export function limitSettings(env: Variables, mode: 'sandbox' | 'live'): LimitSettings {
  const decimal = (text: string | undefined) => (text === undefined ? undefined : new Decimal(text));
  return {
    credential: decimal(env.ADMIN_LIMIT),
    tenant: decimal(env.ADMIN_TENANT_LIMIT),
    installation: decimal(env.ADMIN_INSTALLATION_LIMIT),
    base: env.BASE_CURRENCY,
    dualControl: mode === 'live' ? 'on' : env.DUAL_CONTROL,
  };
}
