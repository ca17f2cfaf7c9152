import { z } from 'zod';
import { formatAmount } from '../../../kernel/money/money';
import { amount, amountOrZero, instant, money, text } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import { ignoredField, shownField } from '../../../kernel/wire/shown-fields';
import type { Network } from '../../networks/record';
import { awaitingApproval, pendingChanges } from '../../pending-changes';
import { nativeAmount } from '../rules';
import { SWEEP_STRATEGIES } from '../strategies/port';
import type { GasConfig } from './record';

const MAX_CONFIRMATIONS = 100_000;
const OF_NATIVE = 'In the native coin.';

/** Read-only fields. */
export const SHOWN = ['stationAddress', 'stationWalletId', 'createdAt', 'updatedAt'] as const;

/** Body of a PUT: an absent field keeps its value, null resets it to the default. */
export const gasConfigBody = z.strictObject({
  gasThreshold: amountOrZero()
    .nullish()
    .describe(`${OF_NATIVE} A wallet with less needs a top-up before it is swept.`),
  gasTopupAmount: amount()
    .optional()
    .describe(
      `${OF_NATIVE} Amount of a top-up, and reserve that a sweep of the native coin leaves. At least \`gasThreshold\`. Required the first time.`,
    ),
  maxGasPrice: amount()
    .nullish()
    .describe('Highest price of one gas in gwei, tip included. Nothing is broadcast above it.'),
  dailyGasBudget: amountOrZero().nullish().describe(`${OF_NATIVE} Limit of all fees of a UTC day.`),
  minSweepAmount: z
    .record(text(20), amountOrZero())
    .nullish()
    .describe("By symbol, in the asset. The default is the network's `minDeposit`. Replaced as a whole.")
    .meta({ examples: [{ USDT: '5.00' }] }),
  treasuryAddress: text(100)
    .nullish()
    .describe('Receiver of swept money: an address that is not ours.')
    .meta({ examples: ['0x1111111111111111111111111111111111111111'] }),
  sweepConfirmations: z
    .int('must be a whole number')
    .min(1)
    .max(MAX_CONFIRMATIONS)
    .nullish()
    .describe("Blocks that make a sweep or a top-up final, its own included. Null: the network's."),
  autoSweep: z
    .boolean()
    .nullish()
    .describe(
      'True when operations are made, signed and broadcast without a person. Needs `maxGasPrice` and `dailyGasBudget`.',
    ),
  sweepStrategy: z
    .enum(SWEEP_STRATEGIES)
    .nullish()
    .describe(
      'Way in which tokens leave wallets. `transfer`: the wallet sends them, with gas of a top-up. `delegated`: the station calls wallets ' +
        'that have delegated to a contract (EIP-7702), several at once, and pays. Wallets send themselves where that is not ready ' +
        '(see the status).',
    ),
  version: z
    .int('must be a whole number')
    .min(0)
    .max(2 ** 31 - 2)
    .describe('The version that GET shows. 0 when none was ever set.'),
  chain: shownField(),
  stationAddress: shownField(),
  stationWalletId: shownField(),
  createdAt: shownField(),
  updatedAt: shownField(),
  nextTreasury: ignoredField(),
  pending: ignoredField(),
});

export type GasConfigBody = z.output<typeof gasConfigBody>;

const shape = {
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
  stationAddress: z.string().optional().describe('Pays for gas. Set by its own routes.'),
  stationWalletId: z.string().optional().describe('Absent for a station whose key is not ours.'),
  version: z.int().max(2 ** 31 - 1),
  nextTreasury: z
    .object({ address: z.string(), effectiveFrom: instant() })
    .optional()
    .describe(
      'An approved treasury that is not in effect yet. Nothing is swept without a person until then.',
    ),
  createdAt: instant().optional().describe('Absent while nothing was ever set.'),
  updatedAt: instant().optional().describe('Includes changes of the station.'),
  pending: pendingChanges(),
};

export const gasConfigSchema = z.object(shape).meta({ id: 'GasConfig' });

/** Answer of a PUT whose change waits for approval: the unchanged configuration. */
export const gasConfigAwaiting = awaitingApproval(shape, 'GasConfigAwaitingApproval');

/** The configuration without `pending`, which the routes read. */
export function gasConfigView(config: GasConfig, network: Network) {
  const { dailyGasBudget, nextTreasuryAddress: address, nextTreasuryAt } = config;
  return shown(gasConfigSchema, config, {
    gasThreshold: nativeAmount(network, config.gasThreshold),
    gasTopupAmount: nativeAmount(network, config.gasTopupAmount),
    maxGasPrice: config.maxGasPrice?.toFixed(),
    dailyGasBudget: dailyGasBudget && nativeAmount(network, dailyGasBudget),
    minSweepAmount: Object.fromEntries(
      Object.entries(config.minSweepAmount).map(([symbol, each]) => [symbol, formatAmount(each, symbol)]),
    ),
    nextTreasury:
      address !== null && nextTreasuryAt !== null
        ? { address, effectiveFrom: nextTreasuryAt.toISOString() }
        : undefined,
    pending: undefined,
  });
}
