import { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { ledgerAmount, NATIVE_DECIMALS, toUnits } from '../networks/rules';
import type { HeldWallet } from './allocations/allocate';
import type { WalletBalance } from './balance';
import { type Allocation, WALLET_STATUSES, type Wallet } from './record';
import { statusForClient } from './rules';

const address = () => z.string().meta({ examples: ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'] });
const status = z.enum(WALLET_STATUSES);

const scopeSchema = () => z.enum(['evm']);

const expiry = () =>
  instant()
    .nullable()
    .optional()
    .describe('Null: the address is permanent. Absent: allocated until you release it.');

/** Null would be shown for an allocation that was asked for without an end and is not permanent. */
const shownExpiry = ({ permanent, expiresAt }: Pick<Allocation, 'permanent' | 'expiresAt'>) =>
  expiresAt?.toISOString() ?? (permanent ? null : undefined);

/** An allocated wallet as a client sees it (decisions part 4, Wallets). */
export const heldWalletSchema = z
  .object({
    id: z
      .string()
      .meta({ examples: ['wla_01jz0000000000000000000000'] })
      .describe('Id of the allocation.'),
    walletId: z
      .string()
      .optional()
      .meta({ examples: ['wal_01jz0000000000000000000000'] })
      .describe('Id of the wallet in the gas station’s routes. For admins.'),
    address: address(),
    chain: z.string().meta({ examples: ['local'] }),
    asset: z
      .string()
      .meta({ examples: ['USDT'], description: 'The asset that the payer is expected to send.' }),
    accountId: z.string(),
    reference: z.string().describe('Your own reference of the allocation; unique within the tenant.'),
    status: status.describe(
      '`allocated` while the wallet is yours; then `quarantined`, later `available`. Send no payer there after the allocation.',
    ),
    permanent: z.boolean().describe('True: the address is allocated for good.'),
    scope: scopeSchema()
      .optional()
      .describe(
        '`evm`: the address is yours on all networks that `networks` names. Absent: on this network only.',
      ),
    networks: z
      .array(z.string())
      .optional()
      .describe('Networks of the scope. A network that is enabled later joins them.'),
    expiresAt: expiry(),
    endedAt: instant().optional(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'AllocatedWallet' });

export const heldWalletView = (
  { allocation, wallet, networks }: HeldWallet,
  { isAdmin, ...when }: { at: Date; quarantineSeconds: number; isAdmin: boolean },
) =>
  shown(heldWalletSchema, allocation, {
    walletId: isAdmin ? wallet.id : undefined,
    status: statusForClient(allocation, wallet, when),
    networks,
    expiresAt: shownExpiry(allocation),
  });

const notedGas = z
  .object({ gasBalance: money(), notedAt: instant() })
  .optional()
  .describe('Gas balance that a person has noted. For admins.');

export const walletBalanceSchema = z
  .object({
    address: address(),
    chain: z.string(),
    status,
    permanent: z
      .boolean()
      .optional()
      .describe('True: the address is allocated for good. Absent: the wallet is not allocated.'),
    scope: scopeSchema().optional().describe('`evm`: the address is allocated on several networks together.'),
    expiresAt: expiry(),
    balances: z
      .array(z.object({ asset: z.string(), balance: money() }))
      .describe('Balance of each asset whose contract answers, without amounts below the minor unit.'),
    gasBalance: money().describe('In the native coin.'),
    detail: z.string().optional().describe('Names assets that could not be read. Absent when all were.'),
    noted: notedGas,
    asOf: instant(),
  })
  .meta({ id: 'WalletBalance' });

export const walletBalanceView = (
  { wallet, network, allocation, balances, gasBalance, detail, asOf }: WalletBalance,
  { isAdmin }: { isAdmin: boolean },
) =>
  shown(walletBalanceSchema, wallet, {
    permanent: allocation?.permanent,
    scope: allocation?.scope ?? undefined,
    expiresAt: allocation && shownExpiry(allocation),
    balances: balances.map(({ asset, decimals, balance }) => ({
      asset,
      balance: formatAmount(ledgerAmount(toUnits(balance, decimals), decimals, asset).amount, asset),
    })),
    gasBalance: gasBalance.toFixed(NATIVE_DECIMALS[network.kind]),
    detail,
    noted: isAdmin ? notedView(wallet, NATIVE_DECIMALS[network.kind]) : undefined,
    asOf,
  });

const notedView = ({ gasBalance, gasBalanceAt }: Wallet, decimals: number) =>
  gasBalance && gasBalanceAt
    ? { gasBalance: gasBalance.toFixed(decimals), notedAt: gasBalanceAt.toISOString() }
    : undefined;

export const notedWalletSchema = z
  .object({
    id: z.string().meta({ examples: ['wal_01jz0000000000000000000000'] }),
    address: address(),
    chain: z.string(),
    status,
    noted: notedGas,
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'NotedWallet' });

export const notedWalletView = (wallet: Wallet, decimals: number) =>
  shown(notedWalletSchema, wallet, { noted: notedView(wallet, decimals) });

export const poolStatsSchema = z
  .object({
    chain: z.string(),
    available: z.int(),
    allocated: z.int(),
    quarantined: z.int(),
    disabled: z.int(),
    total: z.int(),
  })
  .meta({ id: 'WalletPoolStats' });
