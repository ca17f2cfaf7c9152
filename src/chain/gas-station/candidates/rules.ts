import type { Decimal } from '../../../kernel/money/money';
import type { ChainFees, ChainKind } from '../../../parties/chain/port';
import type { NetworkAsset } from '../../networks/record';
import { fromUnits, NATIVE_DECIMALS } from '../../networks/rules';
import { SWEEPABLE, type Wallet } from '../../wallets/record';
import { boundedFees, gweiText } from '../rules';

/** Facts that the checks of a sweep use. */
export interface PreflightFacts {
  wallet: Pick<Wallet, 'purpose' | 'status'>;
  /** Whether the wallet is the chain's present station. */
  isStation: boolean;
  asset: Pick<NetworkAsset, 'symbol' | 'decimals' | 'contract'>;
  /** Units that the sweep would move, and the minimum amount. */
  sweepable: bigint;
  least: Decimal;
  /** Native coin of the gas payer: the wallet, or the station that sends for it. */
  native: bigint;
  kind: ChainKind;
  /** Most that the sweep can cost. Null when the chain or the token would refuse it. */
  fee: bigint | null;
  fees: ChainFees;
  /** Share of the data fee in the price of each gas. */
  dataPrice: bigint;
  /** Gwei. */
  maxGasPrice: Decimal | null;
  /** The wallet's open operations. */
  open: readonly { id: string }[];
  treasuryAddress: string | null;
  /** End of the pause that automatic sweeps of the asset take after a failed one. */
  autoSweepRestsUntil: Date | null;
}

export const CHECK_NAMES = [
  ...(['balance', 'gas', 'fee_cap', 'not_allocated', 'nothing_open', 'treasury'] as const),
  'auto_sweep_rest',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface Check {
  name: CheckName;
  ok: boolean;
  detail: string;
}

type Judge = (facts: PreflightFacts) => Omit<Check, 'name'>;

/** The checks of a sweep, by name. */
const CHECKS: Record<CheckName, Judge> = {
  balance: ({ asset: { symbol, decimals }, sweepable, least }) => {
    const amount = fromUnits(sweepable, decimals);
    return {
      ok: amount.gt(0) && amount.gte(least),
      detail: `${amount.toFixed()} ${symbol} can be swept; the minimum is ${least.toFixed()}.`,
    };
  },
  gas: ({ native, fee, kind }) => {
    if (fee === null)
      return { ok: false, detail: 'The chain would revert the sweep, or the token would move nothing.' };
    return {
      ok: native >= fee,
      detail: `${coins(native, kind)} are available for a fee of at most ${coins(fee, kind)}.`,
    };
  },
  fee_cap: ({ fees, maxGasPrice, dataPrice }) => {
    const price = gweiText(fees.baseFee + fees.maxPriorityFeePerGas + dataPrice);
    const cap = maxGasPrice === null ? 'no cap' : `a cap of ${maxGasPrice.toFixed()} gwei`;
    return {
      ok: boundedFees(fees, maxGasPrice, dataPrice) !== undefined,
      detail: `Gas costs ${price} gwei, with ${cap}.`,
    };
  },
  not_allocated: ({ wallet: { purpose, status }, isStation, asset }) => {
    if (isStation) return { ok: false, detail: 'The wallet is the station.' };
    // The books do not record tokens that arrive at a station.
    if (purpose === 'station' && asset.contract !== null)
      return { ok: false, detail: 'The wallet was a station: only its native coin can be swept.' };
    const bound = status === 'allocated' ? ': only final deposits are swept' : '';
    return { ok: SWEEPABLE.includes(status), detail: `The wallet is ${status}${bound}.` };
  },
  nothing_open: ({ open: [first] }) => ({
    ok: first === undefined,
    detail: first ? `The operation ${first.id} is open.` : 'No operation of the wallet is open.',
  }),
  treasury: ({ treasuryAddress }) => ({
    ok: treasuryAddress !== null,
    detail: treasuryAddress === null ? 'No treasury is set.' : `The treasury is ${treasuryAddress}.`,
  }),
  // Always ok, because a person may sweep during the pause.
  auto_sweep_rest: ({ autoSweepRestsUntil: until }) => ({
    ok: true,
    detail:
      until === null
        ? 'Automatic sweeps of the asset are not paused.'
        : `Automatic sweeps of the asset are paused until ${until.toISOString()}, because a sweep failed.`,
  }),
};

/** Runs every check, also after one has failed. */
export const checksOf = (facts: PreflightFacts): Check[] =>
  CHECK_NAMES.map((name) => ({ name, ...CHECKS[name](facts) }));

const coins = (units: bigint, kind: PreflightFacts['kind']): string =>
  fromUnits(units, NATIVE_DECIMALS[kind]).toFixed();
