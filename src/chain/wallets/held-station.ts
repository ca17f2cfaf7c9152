import { NOW, table } from '../../kernel/db/build';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import type { Keyring } from '../../kernel/security/keyring';
import { heldBy } from '../../parties/signer/held/published';
import type { Network } from '../networks/record';
import { attestationOf } from './attestation';
import type { Wallet } from './record';
import { findWallet, findWalletById, indexOfAddress, nextIndex } from './store';

/**
 * Finds the station wallet of an address, and makes it where another system holds its key (STATION_KEYS of the signing
 * process). The wallet takes an index of the derivation that no key is ever derived for. The caller holds the lock of
 * the derivation.
 * @returns undefined for an address whose key is not ours
 * @throws Problem 409 naming `address` for a held key that is a station of another network
 */
export async function stationWalletOf(
  keyring: Keyring,
  tx: Tx,
  { chain, kind }: Pick<Network, 'chain' | 'kind'>,
  address: string,
): Promise<Wallet | undefined> {
  const known = await findWallet(tx, chain, address);
  const provider = known ? undefined : await heldBy(tx, address);
  if (!provider) return known;
  if ((await indexOfAddress(tx, address)) !== undefined)
    throw conflict(
      'invalid_transition',
      'The key is the station of another network: a key has one.',
      'address',
    );
  const derivationIndex = await nextIndex(tx, kind);
  const made = { id: newId('wallet'), chain, address, derivationIndex, purpose: 'station' } as const;
  const attestation = attestationOf(keyring, made);
  await tx.run(
    table('wallets').insert({
      ...made,
      kind,
      attestation,
      heldBy: provider,
      status: 'available',
      createdAt: NOW,
      updatedAt: NOW,
    }),
  );
  return findWalletById(tx, made.id);
}
