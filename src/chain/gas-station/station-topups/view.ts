import { z } from 'zod';
import { formatAmount } from '../../../kernel/money/money';
import { instant, money } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import type { ChainTransfer } from '../../../parties/chain/port';
import { fromUnits, NATIVE_DECIMALS } from '../../networks/rules';
import { nativeAmount } from '../rules';
import { PAYERS, type StationTopup } from './record';
import type { Scan } from './scan';

export const stationTopupSchema = z
  .object({
    id: z.string().meta({ examples: ['stp_01jz0000000000000000000000'] }),
    chain: z.string(),
    address: z.string().describe('Address of the station.'),
    txHash: z.string(),
    fromAddress: z.string(),
    asset: z.string().meta({ examples: ['ETH'] }),
    paidBy: z.enum(PAYERS).describe('Account of the payer in the books: `funding` for money from elsewhere.'),
    blockNumber: z.int(),
    blockHash: z.string(),
    amount: money(),
    referenceId: z.string(),
    blockAt: instant(),
    createdAt: instant(),
    updatedAt: instant().describe('Equals `createdAt`, because a top-up never changes.'),
  })
  .meta({ id: 'StationTopup' });

export const stationTopupView = (topup: StationTopup) =>
  shown(stationTopupSchema, topup, {
    amount: formatAmount(topup.amount, topup.asset),
    referenceId: topup.reference,
    updatedAt: topup.createdAt,
  });

export const scanSchema = z
  .object({
    chain: z.string(),
    address: z.string(),
    fromBlock: z.int(),
    toBlock: z.int().describe('Less than `fromBlock` when there is no new block.'),
    complete: z.boolean().describe('False while later blocks are left for the next scan.'),
    found: z.array(stationTopupSchema).describe('Top-ups that this scan booked.'),
    waiting: z
      .array(z.object({ txHash: z.string(), fromAddress: z.string(), amount: money(), blockNumber: z.int() }))
      .describe('Transfers in blocks that are not final yet. A later scan books them.'),
  })
  .meta({ id: 'StationScan' });

export const scanView = (
  { network, station, range, waiting }: Scan,
  booked: readonly StationTopup[],
): z.output<typeof scanSchema> => ({
  chain: network.chain,
  address: station,
  fromBlock: range.from,
  toBlock: range.to,
  complete: range.complete,
  found: booked.map(stationTopupView),
  waiting: waiting.map(({ txHash, from, units, block }: ChainTransfer) => ({
    txHash,
    fromAddress: from,
    blockNumber: block.number,
    amount: nativeAmount(network, fromUnits(units, NATIVE_DECIMALS[network.kind])),
  })),
});
