import { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import {
  CHAIN_DEPOSIT_FAILURES,
  CHAIN_DEPOSIT_STATUSES,
  type ChainDeposit,
  type ChainDepositStatus,
  logIndexOf,
} from './record';
import { agreedOf, amountOf, position } from './rules';

/** A deposit on a chain on the wire (decisions part 4, Wallets). */
export const chainDepositSchema = z
  .object({
    id: z.string().meta({ examples: ['cdp_01jz0000000000000000000000'] }),
    status: z.enum(CHAIN_DEPOSIT_STATUSES),
    accountId: z
      .string()
      .optional()
      .meta({ description: 'Absent when the wallet was not allocated at that time.' }),
    chain: z.string(),
    address: z.string(),
    asset: z.string(),
    amount: money().meta({ description: 'In the asset.' }),
    creditedAmount: money().optional().meta({ description: 'In `creditedCurrency`, once final.' }),
    creditedCurrency: z.string().optional(),
    rate: z
      .string()
      .optional()
      .meta({ description: 'Rate of the exchange, if there was one.', examples: ['0.9'] }),
    txHash: z.string(),
    blockNumber: z.int(),
    confirmations: z.int().meta({ description: 'Blocks that make it final, its own included.' }),
    logIndex: z.int().optional().meta({ description: 'Block-wide. Absent for the native coin.' }),
    failure: z
      .string()
      .optional()
      .meta({ enum: CHAIN_DEPOSIT_FAILURES, description: 'Reason why the deposit is not credited.' }),
    referenceId: z.string().meta({ description: 'Reference of its account transactions.' }),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'ChainDeposit' });

export type ChainDepositView = z.infer<typeof chainDepositSchema>;

export function chainDepositView(deposit: ChainDeposit): ChainDepositView {
  const { transfer } = deposit;
  const { terms, word } = transfer;
  const record = { ...terms, ...transfer, ...creditedOf(deposit) };
  return shown(chainDepositSchema, record, {
    status: transfer.status as ChainDepositStatus,
    amount: formatAmount(amountOf(terms, word ?? terms), terms.asset),
    blockNumber: word?.blockNumber ?? terms.blockNumber,
    logIndex: logIndexOf(transfer),
  });
}

/** The credit that the books hold. A transaction mined again may have paid less than agreed. */
function creditedOf(deposit: ChainDeposit) {
  const held = position(deposit).find(({ component }) => component === 'credited');
  if (deposit.transfer.status !== 'credited' || !held) return {};
  return {
    creditedAmount: formatAmount(held.amount, held.currency),
    creditedCurrency: held.currency,
    rate: agreedOf(deposit)?.rate?.toFixed(),
  };
}
