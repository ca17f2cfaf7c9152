import { z } from 'zod';
import { instant, money } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import type { Network } from '../../networks/record';
import { WALLET_STATUSES, type Wallet } from '../../wallets/record';
import type { GasConfig } from '../config/record';
import { nativeAmount } from '../rules';

/** The address that pays for gas. */
export const stationSchema = z
  .object({
    chain: z.string(),
    address: z.string(),
    walletId: z.string().optional().describe('Absent for an address whose key is not ours.'),
    execution: z
      .enum(['local', 'manual'])
      .describe('`manual`: its transactions are exported, and confirmed by a person.'),
  })
  .meta({ id: 'GasStation' });

/** Undefined when the chain has no station. */
export const stationView = ({
  chain,
  stationAddress: address,
  stationWalletId: walletId,
}: GasConfig): z.output<typeof stationSchema> | undefined =>
  address === null
    ? undefined
    : { chain, address, walletId: walletId ?? undefined, execution: walletId === null ? 'manual' : 'local' };

/** A wallet as the operator sees it. */
export const poolWalletSchema = z
  .object({
    id: z.string().meta({ examples: ['wal_01jz0000000000000000000000'] }),
    chain: z.string(),
    address: z.string(),
    purpose: z.enum(['pool', 'station']),
    status: z.enum(WALLET_STATUSES),
    derivationIndex: z.int().describe('Last part of the wallet’s BIP-44 path.'),
    noted: z
      .object({ gasBalance: money(), notedAt: instant() })
      .optional()
      .describe('Balance of the native coin that a person has noted.'),
    quarantinedUntil: instant().optional(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'PoolWallet' });

/** @param kind of the wallet's chain, for the decimals of the noted balance */
export function poolWalletView(wallet: Wallet, kind: Network['kind'] = 'evm') {
  const { gasBalance, gasBalanceAt } = wallet;
  return shown(poolWalletSchema, wallet, {
    noted:
      gasBalance && gasBalanceAt
        ? { gasBalance: nativeAmount({ kind }, gasBalance), notedAt: gasBalanceAt.toISOString() }
        : undefined,
  });
}

export const generatedStationSchema = poolWalletSchema
  .extend({ isStation: z.boolean() })
  .meta({ id: 'GeneratedStation' });
