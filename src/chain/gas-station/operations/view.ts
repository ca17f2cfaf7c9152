import { z } from 'zod';
import { instant, money } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import type { UnsignedTransaction } from '../../../parties/chain/port';
import { fromUnits, NATIVE_DECIMALS } from '../../networks/rules';
import { SWEEP_STRATEGIES } from '../strategies/port';
import type { Exported } from './lifecycle/export';
import {
  GAS_FAILURES,
  GAS_OPERATION_STATUSES,
  GAS_OPERATION_TYPES,
  type GasOperation,
  WAITS,
} from './record';
import { isOpen } from './rules';

/** A sweep or a top-up on the wire (decisions part 4, Wallets, gas station, networks). */
export const gasOperationSchema = z
  .object({
    id: z.string().meta({ examples: ['swp_01jz0000000000000000000000'] }),
    type: z.enum(GAS_OPERATION_TYPES),
    status: z.enum(GAS_OPERATION_STATUSES),
    chain: z.string(),
    walletId: z.string(),
    asset: z.string(),
    token: z.string().optional().describe('Contract of the asset. Absent for the native coin.'),
    from: z.string().describe('Address of the sender.'),
    to: z.string().describe('Address of the receiver.'),
    execution: z
      .enum(['local', 'manual'])
      .describe(
        '`local`: signed and broadcast by the service; `manual`: exported, and confirmed by a person.',
      ),
    strategy: z
      .enum(SWEEP_STRATEGIES)
      .describe('Sender and payer of gas. `transfer`: `from`; `delegated`: `station`.'),
    station: z.string().optional(),
    batchOf: z.string().optional().describe('The operation whose transaction this one shares.'),
    amount: money().describe('Least amount that leaves `from`, with the chain’s decimals.'),
    waitsFor: z.enum(WAITS).optional().describe('Reason why the operation waits. The service tries again.'),
    cancelling: z
      .literal(true)
      .optional()
      .describe(
        'A person has failed the operation, so an empty transaction was sent under its nonce. The final one of the two decides.',
      ),
    txHash: z.string().optional(),
    movedAmount: money().optional().describe('Amount that arrived.'),
    lostAmount: money().optional().describe('Amount that the token kept.'),
    fee: money().optional().describe('Gas used × price, in the native coin.'),
    failure: z
      .object({ code: z.enum(GAS_FAILURES), reason: z.string() })
      .optional()
      .describe('Reason why the operation failed.'),
    exportedAt: instant().optional(),
    executedAt: instant().optional(),
    expiresAt: instant(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'GasOperation' });

export type GasOperationView = z.output<typeof gasOperationSchema>;

export function gasOperationView(operation: GasOperation): GasOperationView {
  const { decimals, units, stationAddress, lostUnits } = operation;
  const text = (units: bigint | null, of = decimals) =>
    units === null ? null : fromUnits(units, of).toFixed(of);
  return shown(gasOperationSchema, operation, {
    from: operation.fromAddress,
    to: operation.toAddress,
    strategy: stationAddress === null ? 'transfer' : 'delegated',
    station: stationAddress,
    amount: fromUnits(units, decimals).toFixed(decimals),
    cancelling: isOpen(operation) && operation.cancelReason !== null ? true : undefined,
    movedAmount: text(operation.movedUnits),
    lostAmount: lostUnits === 0n ? undefined : text(lostUnits),
    fee: text(operation.feeUnits, NATIVE_DECIMALS.evm),
    failure: failureOf(operation),
  });
}

const failureOf = ({ failureCode: code, failureReason: reason }: GasOperation) =>
  code === null ? undefined : { code, reason: reason ?? code };

const units = () => z.string().meta({ examples: ['65000'] });

const authorizationSchema = z.object({
  chainId: z.int(),
  contract: z.string().describe('Address of the contract that the wallet delegates to.'),
  nonce: z.int(),
  yParity: z.int(),
  r: z.string(),
  s: z.string(),
});

/** A transaction to sign. Units are the chain's, as integers in text. */
const unsignedSchema = z.object({
  type: z.enum(['eip1559', 'eip7702']),
  chainId: z.int(),
  nonce: z.int(),
  from: z.string().describe('Address of the sender.'),
  to: z.string().describe('Address of the receiver.'),
  value: units(),
  data: z.string(),
  gas: units(),
  maxFeePerGas: units(),
  maxPriorityFeePerGas: units(),
  authorizations: z
    .array(authorizationSchema)
    .optional()
    .describe('For `eip7702`: signed by the swept wallets.'),
});

export const gasExportSchema = z
  .object({
    operation: gasOperationSchema,
    transactions: z.array(unsignedSchema).describe('To sign by their sender, in this order.'),
  })
  .meta({ id: 'GasOperationExport' });

const unsignedView = ({
  authorizations = [],
  ...transaction
}: UnsignedTransaction): z.output<typeof unsignedSchema> => ({
  type: authorizations.length > 0 ? 'eip7702' : 'eip1559',
  ...transaction,
  authorizations: authorizations.length > 0 ? [...authorizations] : undefined,
  value: transaction.value.toString(),
  gas: transaction.gas.toString(),
  maxFeePerGas: transaction.maxFeePerGas.toString(),
  maxPriorityFeePerGas: transaction.maxPriorityFeePerGas.toString(),
});

export const gasExportView = ({ operation, transactions }: Exported): z.output<typeof gasExportSchema> => ({
  operation: gasOperationView(operation),
  transactions: transactions.map(unsignedView),
});
