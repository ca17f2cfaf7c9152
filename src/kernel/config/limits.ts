import { z } from 'zod';
import { isCurrency } from '../money/currencies';
import { DECIMAL_TEXT, Decimal } from '../money/money';
import { whole } from './schemas';

const limit = z.string().regex(DECIMAL_TEXT, 'must be a decimal such as 1000000').optional();

/** Limits that an API or a worker stores for the whole installation when it starts. */
export const LIMIT_VARIABLES = {
  /** Amount that one credential may decide per UTC day without a second person. */
  ADMIN_LIMIT: limit,
  /** Amount per tenant and UTC day, by any credential. */
  ADMIN_TENANT_LIMIT: limit,
  /** Amount for the whole installation per UTC day. */
  ADMIN_INSTALLATION_LIMIT: limit,
  /** Currency of these limits. */
  BASE_CURRENCY: z.string().refine(isCurrency, 'must be a known currency code such as USD').optional(),
  /** Whether changes of configurations need two people. Always on in live mode. */
  DUAL_CONTROL: z.enum(['on', 'off']).optional(),
  /** Amount that a new tenant may pay out per UTC day without an operator. Live: 50000 by default. */
  NEW_TENANT_DAILY_LIMIT: limit,
  /** Hours for which a new destination of a new tenant's payouts rests. Live: 24 by default. */
  NEW_DESTINATION_HOURS: whole(0, 720).optional(),
};

/** Defaults for a new tenant of a live installation. The sandbox has none. */
const LIVE = { newTenantDaily: '50000', newDestinationHours: 24 };

/**
 * Limits of decisions without a second person, in the base currency. An absent limit leaves the stored one unchanged.
 */
export interface LimitSettings {
  credential: Decimal | undefined;
  tenant: Decimal | undefined;
  installation: Decimal | undefined;
  /** A currency code. */
  base: string | undefined;
  dualControl: 'on' | 'off' | undefined;
  newTenantDaily: Decimal | undefined;
  newDestinationHours: number | undefined;
}

type Variables = z.output<z.ZodObject<typeof LIMIT_VARIABLES>>;

export function limitSettings(env: Variables, mode: 'sandbox' | 'live'): LimitSettings {
  const decimal = (text: string | undefined) => (text === undefined ? undefined : new Decimal(text));
  const defaults: Partial<typeof LIVE> = mode === 'live' ? LIVE : {};
  return {
    credential: decimal(env.ADMIN_LIMIT),
    tenant: decimal(env.ADMIN_TENANT_LIMIT),
    installation: decimal(env.ADMIN_INSTALLATION_LIMIT),
    base: env.BASE_CURRENCY,
    dualControl: mode === 'live' ? 'on' : env.DUAL_CONTROL,
    newTenantDaily: decimal(env.NEW_TENANT_DAILY_LIMIT ?? defaults.newTenantDaily),
    newDestinationHours: env.NEW_DESTINATION_HOURS ?? defaults.newDestinationHours,
  };
}
