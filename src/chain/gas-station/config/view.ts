import { z } from 'zod';
import { type Decimal, formatAmount } from '../../../kernel/money/money';
import { amount, amountOrZero, instant, money, text } from '../../../kernel/wire/schemas';
import type { Network } from '../../networks/record';
import { shownField } from '../../shown-fields';
import { nativeAmount } from '../rules';
import { SWEEP_STRATEGIES } from '../strategies/port';
import type { GasConfig, GasTerms } from './record';

const MOST_CONFIRMATIONS = 100_000;
const OF_NATIVE = 'Of the native coin.';

/** What GET shows beside what is set, and the chain. */
export const SHOWN = ['stationAddress', 'stationWalletId', 'createdAt', 'updatedAt'] as const;

/** The body of a PUT: what is absent bounds nothing. */
export const gasConfigBody = z.strictObject({
  gasThreshold: amountOrZero().describe(`${OF_NATIVE} A wallet with less needs a top-up before it is swept.`),
  gasTopupAmount: amount().describe(
    `${OF_NATIVE} What a top-up brings, and what a sweep of the native coin leaves. At least \`gasThreshold\`.`,
  ),
  maxGasPrice: amount().nullish().describe('Gwei for one gas, tip included. Nothing is broadcast above it.'),
  dailyGasBudget: amountOrZero().nullish().describe(`${OF_NATIVE} All fees of a UTC day.`),
  minSweepAmount: z
    .record(text(20), amountOrZero())
    .describe("By symbol, in the asset; of one that is absent the network's `minDeposit`.")
    .meta({ examples: [{ USDT: '5.00' }] }),
  treasuryAddress: text(100)
    .nullish()
    .describe('Where swept money goes: an address that is none of ours.')
    .meta({ examples: ['0x1111111111111111111111111111111111111111'] }),
  sweepConfirmations: z
    .int('must be a whole number')
    .min(1)
    .max(MOST_CONFIRMATIONS)
    .describe('So many blocks make a sweep or a top-up final; its own counts.'),
  autoSweep: z.boolean().describe('Whether operations are made, signed and broadcast without a person.'),
  sweepStrategy: z
    .enum(SWEEP_STRATEGIES)
    .default('transfer')
    .describe(
      'How tokens get off wallets. `transfer`: the wallet sends them, by gas that a top-up has brought; `delegated`: the station ' +
        'calls wallets that have delegated to a contract (EIP-7702) and pays itself, several at once. Where that is not ready ' +
        '(see the status) wallets send.',
    ),
  version: z
    .int('must be a whole number')
    .min(0)
    .max(2 ** 31 - 2)
    .describe('The one that GET tells: 0 where none was ever set.'),
  ...{ chain: shownField(), stationAddress: shownField(), stationWalletId: shownField() },
  ...{ createdAt: shownField(), updatedAt: shownField() },
});

/** What a body gives. */
export function givenTerms(body: z.output<typeof gasConfigBody>): GasTerms {
  const { gasThreshold, gasTopupAmount, minSweepAmount, sweepConfirmations, autoSweep, sweepStrategy } = body;
  return {
    ...{ gasThreshold, gasTopupAmount, minSweepAmount, sweepConfirmations, autoSweep, sweepStrategy },
    maxGasPrice: body.maxGasPrice ?? null,
    dailyGasBudget: body.dailyGasBudget ?? null,
    treasuryAddress: body.treasuryAddress ?? null,
  };
}

export const gasConfigSchema = z
  .object({
    chain: z.string().meta({ examples: ['local'] }),
    gasThreshold: money(),
    gasTopupAmount: money(),
    maxGasPrice: money().optional(),
    dailyGasBudget: money().optional(),
    minSweepAmount: z.record(z.string(), money()),
    treasuryAddress: z.string().optional(),
    sweepConfirmations: z.int(),
    autoSweep: z.boolean(),
    sweepStrategy: z.enum(SWEEP_STRATEGIES),
    stationAddress: z.string().optional().describe('Pays for gas; set by calls of its own.'),
    stationWalletId: z.string().optional().describe('Absent of a station whose key is not ours.'),
    version: z.int(),
    createdAt: instant().optional().describe('Absent while nothing was ever set.'),
    updatedAt: instant().optional().describe('Of the station too.'),
  })
  .meta({ id: 'GasConfig' });

export function gasConfigView(config: GasConfig, network: Network): z.output<typeof gasConfigSchema> {
  const native = (amount: Decimal | null) => (amount === null ? undefined : nativeAmount(network, amount));
  const { gasThreshold, gasTopupAmount, minSweepAmount, ...rest } = config;
  return {
    chain: rest.chain,
    gasThreshold: nativeAmount(network, gasThreshold),
    gasTopupAmount: nativeAmount(network, gasTopupAmount),
    maxGasPrice: rest.maxGasPrice?.toFixed(),
    dailyGasBudget: native(rest.dailyGasBudget),
    minSweepAmount: Object.fromEntries(
      Object.entries(minSweepAmount).map(([symbol, each]) => [symbol, formatAmount(each, symbol)]),
    ),
    treasuryAddress: rest.treasuryAddress ?? undefined,
    sweepConfirmations: rest.sweepConfirmations,
    autoSweep: rest.autoSweep,
    sweepStrategy: rest.sweepStrategy,
    stationAddress: rest.stationAddress ?? undefined,
    stationWalletId: rest.stationWalletId ?? undefined,
    version: rest.version,
    createdAt: rest.createdAt?.toISOString(),
    updatedAt: rest.updatedAt?.toISOString(),
  };
}
