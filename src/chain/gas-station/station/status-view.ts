import { z } from 'zod';
import { maxOf, ZERO } from '../../../kernel/money/money';
import { instant, money } from '../../../kernel/wire/schemas';
import type { ChainFees } from '../../../parties/chain/port';
import { fromUnits, NATIVE_DECIMALS } from '../../networks/rules';
import type { GasConfig } from '../config/record';
import { gasConfigSchema, gasConfigView } from '../config/view';
import { boundedFees, gweiText, nativeAmount, nativeSymbol } from '../rules';
import type { StationStatus } from './status';
import { stationSchema, stationView } from './view';

export const statusSchema = z
  .object({
    chain: z.string(),
    config: gasConfigSchema,
    nativeAsset: z.string().optional().describe("The chain's native coin, in which gas is paid."),
    gasBooked: z
      .boolean()
      .describe(
        'False when the ledger has no currency for the native coin. Gas costs are then shown by operations and `spent` only.',
      ),
    station: stationSchema
      .extend({
        balance: money(),
      })
      .optional(),
    gasPrice: z
      .object({
        current: money().describe('Price of the next block, tip included.'),
        baseFee: money().describe('Base fee of the next block.'),
        max: money().optional().describe('`maxGasPrice` of the configuration.'),
        withinCap: z
          .boolean()
          .describe('True when the price is at most `max`, so that transactions are broadcast.'),
      })
      .describe('In gwei: the price of the next block, tip included, and `maxGasPrice`.'),
    dailyGasBudget: z
      .object({
        budget: money().optional().describe('`dailyGasBudget` of the configuration.'),
        spent: money().describe('Fees that were paid today.'),
        reserved: money().describe('Highest cost of the signed transactions that are not final.'),
        left: money().optional().describe('Rest of the budget.'),
      })
      .describe(
        'In the native coin, for this UTC day. `reserved` is what signed transactions may still cost.',
      ),
    openOperations: z.object({
      sweep: z.int().describe('Number of sweeps that are not final.'),
      topup: z.int().describe('Number of top-ups that are not final.'),
    }),
    dust: z
      .array(
        z.object({
          asset: z.string(),
          belowMinimum: money().describe('On wallets with less than `minSweepAmount`.'),
          belowLedger: money().describe('On all wallets, below the ledger’s decimals.'),
          asOf: instant(),
        }),
      )
      .describe(
        'Dust on wallets that were allocated once and may be swept, read every five minutes. A sweep of a wallet takes all of it.',
      ),
    delegation: z
      .object({
        contract: z.string().describe('Address of the contract.'),
        ready: z.boolean().describe('True when the contract is deployed and the chain knows EIP-7702.'),
        deployment: z
          .object({
            to: z.string().describe('Address of the receiver.'),
            data: z.string().describe('Data of the transaction, in hexadecimal.'),
          })
          .describe('The transaction that deploys the contract. Anybody may send it, once.'),
      })
      .optional()
      .describe(
        'The contract that `sweepStrategy` `delegated` needs. Only this station can call it, and it pays only this treasury.',
      ),
  })
  .meta({ id: 'GasStationStatus' });

export function statusView(status: StationStatus): z.output<typeof statusSchema> {
  const { network, config, balance, open, delegation } = status;
  const station = stationView(config);
  const native = (units: bigint) => fromUnits(units, NATIVE_DECIMALS[network.kind]);
  return {
    chain: network.chain,
    config: gasConfigView(config, network),
    nativeAsset: nativeSymbol(network),
    gasBooked: nativeSymbol(network) !== undefined,
    station: station && { ...station, balance: nativeAmount(network, native(balance ?? 0n)) },
    gasPrice: priceOf(config, status.fees),
    dailyGasBudget: budgetOf(status, native),
    openOperations: open,
    dust: dustOf(status),
    delegation: delegation
      ? { contract: delegation.contract, ready: delegation.isReady, deployment: delegation.deployment }
      : undefined,
  };
}

/** Dust of the assets that the network lists, in their order. */
const dustOf = ({ network, dust }: StationStatus) =>
  network.assets.flatMap(({ symbol, decimals }) =>
    dust
      .filter(({ asset }) => asset === symbol)
      .map(({ asset, belowMinimum, belowLedger, readAt }) => ({
        asset,
        belowMinimum: fromUnits(belowMinimum, decimals).toFixed(decimals),
        belowLedger: fromUnits(belowLedger, decimals).toFixed(decimals),
        asOf: readAt.toISOString(),
      })),
  );

const priceOf = ({ maxGasPrice }: GasConfig, fees: ChainFees) => ({
  current: gweiText(fees.baseFee + fees.maxPriorityFeePerGas),
  baseFee: gweiText(fees.baseFee),
  max: maxGasPrice?.toFixed(),
  withinCap: boundedFees(fees, maxGasPrice) !== undefined,
});

function budgetOf(
  { network, config: { dailyGasBudget: budget }, spent }: StationStatus,
  native: (units: bigint) => ReturnType<typeof fromUnits>,
) {
  const [booked, reserved] = [native(spent.booked), native(spent.reserved)];
  const left = budget && maxOf(ZERO, budget.minus(booked).minus(reserved));
  return {
    budget: budget ? nativeAmount(network, budget) : undefined,
    spent: nativeAmount(network, booked),
    reserved: nativeAmount(network, reserved),
    left: left ? nativeAmount(network, left) : undefined,
  };
}
