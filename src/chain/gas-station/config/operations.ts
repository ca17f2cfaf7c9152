import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, invalid } from '../../../kernel/errors';
import { openBreak } from '../../../process/breaks/operations';
import type { Network } from '../../networks/record';
import { findWallet, nameTreasury } from '../../wallets/operations';
import { assertNeverWas } from '../roles';
import { type GasConfig, type GasInput, type GasTerms, gasConfigNeverSet } from './record';
import { appliedTerms, checkedTerms } from './rules';
import { findGasConfig, insertGasConfig, updateGasTerms } from './store';

export { findGasConfig, updateStation } from './store';

type Of = Pick<Network, 'chain' | 'confirmations'>;

/** Returns the gas configuration of a network. Defaults (version 0) when none was ever set. */
export const requireGasConfig = async (sql: Sql, network: Of): Promise<GasConfig> =>
  (await findGasConfig(sql, network.chain)) ?? gasConfigNeverSet(network);

/** Returns the configuration locked until the transaction ends. Creates its row when there is none. */
export async function lockGasConfig(tx: Tx, network: Of): Promise<GasConfig> {
  const found = await findGasConfig(tx, network.chain, { lock: 'update' });
  if (found) return found;
  await insertGasConfig(tx, gasConfigNeverSet(network));
  return (await findGasConfig(tx, network.chain, { lock: 'update' })) as GasConfig;
}

/** The terms of a chain before and after a change, with its row locked. */
export interface JudgedGasTerms {
  before: GasConfig;
  terms: GasTerms;
}

/**
 * Checks the change that a PUT requests. Changes nothing.
 * @param before under the locks of the derivation and of its row, when the change is to be saved
 * @param given with the version that the caller has read; 0 when none was ever set
 * @throws Problem 400 naming the field, 409 `version_conflict`
 */
export async function judgeGasTerms(
  tx: Tx,
  network: Network,
  before: GasConfig,
  given: GasInput & { version: number },
): Promise<JudgedGasTerms> {
  const terms = checkedTerms(network, appliedTerms(network, given, before));
  if (terms.treasuryAddress !== null) await assertTreasury(tx, network, before, terms.treasuryAddress);
  if (before.version !== given.version)
    throw conflict(
      'version_conflict',
      `The configuration has version ${before.version} now: read it again.`,
      'version',
    );
  return { before, terms };
}

/** @throws Problem 400 naming `treasuryAddress` when the address is, or was, one of ours */
export async function assertTreasury(
  tx: Tx,
  { chain }: Pick<Network, 'chain'>,
  before: GasConfig,
  address: string,
): Promise<void> {
  if (await findWallet(tx, chain, address))
    throw invalid('treasuryAddress must not be a wallet of the pool or the station.', 'treasuryAddress');
  if (address !== before.treasuryAddress)
    await assertNeverWas(tx, 'station', { chain, address, field: 'treasuryAddress' });
}

/**
 * Saves the terms of a chain. Opens a break for a new treasury. Open operations keep the treasury that they were
 * created with.
 * @param treasuryFrom when a new treasury takes effect; absent: at once
 */
export async function applyGasTerms(
  tx: Tx,
  { chain }: Network,
  { before, terms }: JudgedGasTerms,
  treasuryFrom?: Date,
): Promise<GasConfig> {
  const after = await updateGasTerms(tx, chain, treasuryOf(before, terms, treasuryFrom), before.version + 1);
  await nameTreasury(tx, chain, after.treasuryAddress);
  if (before.version > 0 && before.treasuryAddress !== after.treasuryAddress)
    await showTreasury(tx, before, after);
  return after;
}

/** Terms that leave the treasury unchanged keep an approved next treasury. */
function treasuryOf(before: GasConfig, terms: GasTerms, from: Date | undefined) {
  const { treasuryAddress, nextTreasuryAddress, nextTreasuryAt } = before;
  if (terms.treasuryAddress === treasuryAddress && treasuryAddress !== null)
    return { ...terms, nextTreasuryAddress, nextTreasuryAt };
  const isDelayed = from !== undefined && terms.treasuryAddress !== null;
  if (!isDelayed) return { ...terms, nextTreasuryAddress: null, nextTreasuryAt: null };
  return {
    ...terms,
    treasuryAddress,
    nextTreasuryAddress: terms.treasuryAddress,
    nextTreasuryAt: from,
  };
}

/** Opens a break, because a treasury receives all swept money. A second person must see and confirm the change. */
export const showTreasury = (tx: Tx, before: GasConfig, { chain, treasuryAddress, version }: GasConfig) =>
  openBreak(tx, {
    tenantId: null,
    kind: 'gas_treasury_changed',
    subject: `chain:${chain}`,
    detail: `version ${version}: ${before.treasuryAddress ?? 'none'} -> ${treasuryAddress ?? 'none'}`,
  });
