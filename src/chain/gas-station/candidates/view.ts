import { z } from 'zod';
import { formatAmount } from '../../../kernel/money/money';
import { instant, money } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import { fromUnits, NATIVE_DECIMALS } from '../../networks/rules';
import { WALLET_STATUSES, type Wallet } from '../../wallets/record';
import { restedBy } from '../../wallets/rules';
import { minSweepOf, nativeAmount } from '../rules';
import type { SweepCandidate, TopupCandidate } from './lists';
import type { Preflight } from './preflight';
import { CHECK_NAMES } from './rules';

const wallet = {
  walletId: z.string().meta({ examples: ['wal_01jz0000000000000000000000'] }),
  chain: z.string(),
  address: z.string(),
  status: z.enum(WALLET_STATUSES),
};
const walletOf = (wallet: Wallet, at: Date) => ({
  ...wallet,
  walletId: wallet.id,
  status: restedBy(wallet, at).status,
});

/** Fields of a candidate in lists, which page by the wallet's `createdAt`. */
const listed = { ...wallet, createdAt: instant().describe('Creation time of the wallet.') };

const unitsText = (units: bigint, { decimals }: { decimals: number }): string =>
  fromUnits(units, decimals).toFixed(decimals);
const nativeText = ({ network, native }: Pick<SweepCandidate, 'network' | 'native'>): string =>
  unitsText(native, { decimals: NATIVE_DECIMALS[network.kind] });

export const sweepCandidateSchema = z
  .object({
    ...listed,
    asset: z.string(),
    needsGas: z
      .boolean()
      .describe('True when the wallet has less than `gasThreshold` and needs a top-up first.'),
    gasBalance: money().describe('In the native coin.'),
    balance: money(),
    sweepable: money().describe('Less than the balance for the native coin, because a sweep leaves gas.'),
    minSweepAmount: money(),
  })
  .meta({ id: 'SweepCandidate' });

export const sweepCandidateView = (candidate: SweepCandidate, at: Date) => {
  const { asset, config, needsGas } = candidate;
  return shown(sweepCandidateSchema, walletOf(candidate.wallet, at), {
    asset: asset.symbol,
    needsGas,
    gasBalance: nativeText(candidate),
    balance: unitsText(candidate.balance, asset),
    sweepable: unitsText(candidate.sweepable, asset),
    minSweepAmount: formatAmount(minSweepOf(config, asset), asset.symbol),
  });
};

export const topupCandidateSchema = z
  .object({
    ...listed,
    gasBalance: money().describe('In the native coin, like `gasThreshold` and `topupAmount`.'),
    gasThreshold: money(),
    topupAmount: money().describe('Amount of a top-up.'),
    assets: z.array(z.object({ asset: z.string(), balance: money() })).describe('Assets that can be swept.'),
  })
  .meta({ id: 'TopupCandidate' });

export const topupCandidateView = (candidate: TopupCandidate, at: Date) => {
  const { network, config, assets } = candidate;
  return shown(topupCandidateSchema, walletOf(candidate.wallet, at), {
    gasBalance: nativeText(candidate),
    gasThreshold: nativeAmount(network, config.gasThreshold),
    topupAmount: nativeAmount(network, config.gasTopupAmount),
    assets: assets.map(({ asset, balance }) => ({ asset: asset.symbol, balance: unitsText(balance, asset) })),
  });
};

export const preflightSchema = z
  .object({
    ...wallet,
    asset: z.string(),
    amount: money().describe('Amount that the sweep would move.'),
    ok: z.boolean().describe('True when every check is ok.'),
    checks: z.array(
      z.object({ name: z.enum(CHECK_NAMES), ok: z.boolean(), detail: z.string().describe('For a person.') }),
    ),
  })
  .meta({ id: 'SweepPreflight' });

export const preflightView = (of: Wallet, { ok, checks, asset, units }: Preflight, at: Date) =>
  shown(preflightSchema, walletOf(of, at), {
    asset: asset.symbol,
    amount: unitsText(units, asset),
    ok,
    checks,
  });
