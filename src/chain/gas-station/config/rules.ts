import { invalid } from '../../../kernel/errors';
import type { Decimal } from '../../../kernel/money/money';
import { assertFits } from '../../../kernel/wire/schemas';
import { checkedAddress, isZeroAddress } from '../../../parties/chain/addresses';
import { isAsked } from '../../../parties/chain/witness';
import type { Network } from '../../networks/record';
import { NATIVE_DECIMALS } from '../../networks/rules';
import { GWEI_DECIMALS } from '../rules';
import type { GasTerms } from './record';

/**
 * What was given, against the network: as it is kept, the treasury's address checksummed.
 * @throws Problem 400 naming the field
 */
export function checkedTerms(network: Network, given: GasTerms): GasTerms {
  const { gasThreshold, gasTopupAmount, dailyGasBudget, maxGasPrice } = given;
  const native = NATIVE_DECIMALS[network.kind];
  assertDecimals({ gasThreshold, gasTopupAmount, dailyGasBudget }, native);
  assertDecimals({ maxGasPrice }, GWEI_DECIMALS);
  if (gasTopupAmount.lt(gasThreshold))
    throw invalid(
      'gasTopupAmount must be at least gasThreshold: else a top-up is never enough.',
      'gasTopupAmount',
    );
  if (!isAsked(network)) assertManual(given);
  assertMinima(network, given);
  const { treasuryAddress } = given;
  return {
    ...given,
    treasuryAddress: treasuryAddress === null ? null : addressOf(network, treasuryAddress, 'treasuryAddress'),
  };
}

/**
 * An address that money may be sent to: what goes to a token's own contract, or to the zero address, is lost.
 * @returns checksummed @throws Problem 400 naming the field
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

/** Where no node is asked a person executes, who sees the price. */
function assertManual({ autoSweep, maxGasPrice, sweepStrategy }: GasTerms): void {
  if (sweepStrategy !== 'transfer')
    throw invalid('sweepStrategy must be transfer: this chain has no other.', 'sweepStrategy');
  if (autoSweep) throw invalid('autoSweep must be false: this chain is executed by hand.', 'autoSweep');
  if (maxGasPrice) throw invalid('maxGasPrice must be absent: this chain has no such price.', 'maxGasPrice');
}

function assertMinima({ assets }: Network, { minSweepAmount }: GasTerms): void {
  const field = 'minSweepAmount';
  for (const [symbol, amount] of Object.entries(minSweepAmount)) {
    const asset = assets.find((each) => each.symbol === symbol);
    if (!asset) throw invalid(`${field} must name assets of the network only.`, field);
    assertFits(amount, symbol, field);
    if (amount.decimalPlaces() > asset.decimals)
      throw invalid(`${field} has more decimals than ${symbol} has on this chain.`, field);
  }
}
