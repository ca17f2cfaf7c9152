import type { Sql, Tx } from '../../../kernel/db/database';
import { conflict, invalid } from '../../../kernel/errors';
import { openBreak } from '../../../process/breaks/operations';
import type { Network } from '../../networks/record';
import { findWallet, lockDerivation } from '../../wallets/operations';
import { assertNeverWas } from '../roles';
import { type GasConfig, type GasTerms, gasConfigNeverSet } from './record';
import { checkedTerms } from './rules';
import { findGasConfig, insertGasConfig, updateGasTerms } from './store';

export { findGasConfig } from './store';

type Of = Pick<Network, 'chain' | 'confirmations'>;

/** What holds on a network: what was set, or what does while nothing was (version 0). */
export const requireGasConfig = async (sql: Sql, network: Of): Promise<GasConfig> =>
  (await findGasConfig(sql, network.chain)) ?? gasConfigNeverSet(network);

/** The same, locked to the end of the transaction; its row is made where there is none. */
export async function lockGasConfig(tx: Tx, network: Of): Promise<GasConfig> {
  const found = await findGasConfig(tx, network.chain, 'update');
  if (found) return found;
  await insertGasConfig(tx, gasConfigNeverSet(network));
  return (await findGasConfig(tx, network.chain, 'update')) as GasConfig;
}

/**
 * Replaces the terms of a chain. Another treasury than before is shown to the operator; open operations keep the one of their creation.
 * @param version that the caller has seen; 0: of terms that were never set
 * @throws Problem 400 naming the field, 409 `version_conflict`
 */
export async function saveGasTerms(
  tx: Tx,
  network: Network,
  given: GasTerms,
  version: number,
): Promise<{ before: GasConfig; after: GasConfig }> {
  const terms = checkedTerms(network, given);
  const { treasuryAddress } = terms;
  await lockDerivation(tx, network.kind);
  if (treasuryAddress !== null && (await findWallet(tx, network.chain, treasuryAddress)))
    throw invalid('treasuryAddress must not be a wallet of the pool or the station.', 'treasuryAddress');
  const before = await lockGasConfig(tx, network);
  if (treasuryAddress !== null && treasuryAddress !== before.treasuryAddress) {
    const named = { chain: network.chain, address: treasuryAddress, field: 'treasuryAddress' };
    await assertNeverWas(tx, 'station', named);
  }
  if (before.version !== version)
    throw conflict(
      'version_conflict',
      `The configuration is of version ${before.version} now: read it again.`,
      'version',
    );
  const after = await updateGasTerms(tx, network.chain, terms, version + 1);
  if (before.version > 0 && before.treasuryAddress !== treasuryAddress) await showTreasury(tx, before, after);
  return { before, after };
}

/** Whoever may change it decides where all money goes: a person who has not done it is to see it, and says that it is right. */
const showTreasury = (tx: Tx, before: GasConfig, { chain, treasuryAddress, version }: GasConfig) =>
  openBreak(tx, {
    ...{ tenantId: null, kind: 'gas_treasury_changed', subject: `chain:${chain}` },
    detail: `version ${version}: ${before.treasuryAddress ?? 'none'} -> ${treasuryAddress ?? 'none'}`,
  });
