import { invalid } from '../../../kernel/errors';
import type { Decimal } from '../../../kernel/money/money';
import { fieldPath } from '../../../kernel/wire/json';
import { assertFits } from '../../../kernel/wire/schemas';
import { checkedAddress, isZeroAddress } from '../../../parties/chain/addresses';
import type { Network } from '../../networks/record';
import { NATIVE_DECIMALS } from '../../networks/rules';
import { GWEI_DECIMALS } from '../rules';
import { type GasConfig, type GasInput, type GasTerms, gasConfigNeverSet } from './record';

/**
 * Returns the terms after a PUT.
 * @throws Problem 400 naming `gasTopupAmount` when nothing was set before and it is absent
 */
export function appliedTerms(network: Network, given: GasInput, before: GasConfig): GasTerms {
  if (before.version === 0 && !given.gasTopupAmount)
    throw invalid('gasTopupAmount is required.', 'gasTopupAmount');
  const never = gasConfigNeverSet(network);
  const term = <Field extends keyof GasTerms>(field: Field): Pick<GasTerms, Field> => {
    const value = given[field];
    return { [field]: value === undefined ? before[field] : (value ?? never[field]) } as Pick<
      GasTerms,
      Field
    >;
  };
  return {
    ...term('gasThreshold'),
    ...term('gasTopupAmount'),
    ...term('maxGasPrice'),
    ...term('dailyGasBudget'),
    ...term('minSweepAmount'),
    ...term('treasuryAddress'),
    ...term('sweepConfirmations'),
    ...term('autoSweep'),
    ...term('sweepStrategy'),
  };
}

/**
 * Checks terms against the network.
 * @returns the terms with a checksummed treasury
 * @throws Problem 400 naming the field
 */
export function checkedTerms(network: Network, given: GasTerms): GasTerms {
  const { gasThreshold, gasTopupAmount, dailyGasBudget, maxGasPrice } = given;
  const native = NATIVE_DECIMALS[network.kind];
  assertDecimals({ gasThreshold, gasTopupAmount, dailyGasBudget }, native);
  assertDecimals({ maxGasPrice }, GWEI_DECIMALS);
  if (gasTopupAmount.lt(gasThreshold))
    throw invalid(
      'gasTopupAmount must be at least gasThreshold, so that one top-up suffices.',
      'gasTopupAmount',
    );
  assertMinima(network, given);
  assertCapped(given);
  const { treasuryAddress } = given;
  return {
    ...given,
    treasuryAddress: treasuryAddress === null ? null : addressOf(network, treasuryAddress, 'treasuryAddress'),
  };
}

/**
 * Checks that money may be sent to an address. A token's own contract and the zero address would lose it.
 * @returns the checksummed address
 * @throws Problem 400 naming the field
 */
export function addressOf(
  { kind, name, assets }: Pick<Network, 'kind' | 'name' | 'assets'>,
  text: string,
  field: string,
): string {
  const checked = checkedAddress(kind, text);
  if (checked === undefined) throw invalid(`${field} must be an address of ${name}.`, field);
  if (isZeroAddress(kind, checked)) throw invalid(`${field} must not be the zero address.`, field);
  const token = assets.find(({ contract }) => contract === checked);
  if (token) throw invalid(`${field} must not be the contract of ${token.symbol}.`, field);
  return checked;
}

function assertDecimals(amounts: Record<string, Decimal | null>, decimals: number): void {
  for (const [field, value] of Object.entries(amounts))
    if (value && value.decimalPlaces() > decimals)
      throw invalid(`${field} must have at most ${decimals} decimals.`, field);
}

/** Without both caps, a period of high gas prices would drain the station before a person looks. */
function assertCapped({ autoSweep, maxGasPrice, dailyGasBudget }: GasTerms): void {
  for (const [field, cap] of Object.entries({ maxGasPrice, dailyGasBudget }))
    if (autoSweep && cap === null) throw invalid(`${field} is required while autoSweep is on.`, field);
}

function assertMinima({ assets }: Network, { minSweepAmount }: GasTerms): void {
  for (const [symbol, amount] of Object.entries(minSweepAmount)) {
    const field = fieldPath(['minSweepAmount', symbol]);
    const asset = assets.find((each) => each.symbol === symbol);
    if (!asset) throw invalid(`${symbol} is not an asset of the network.`, field);
    assertFits(amount, symbol, field);
    if (amount.decimalPlaces() > asset.decimals)
      throw invalid(`${field} has more decimals than ${symbol} has on this chain.`, field);
  }
}
