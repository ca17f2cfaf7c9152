import type { Tx } from '../../../kernel/db/database';
import { newId } from '../../../kernel/ids';
import type { Keyring } from '../../../kernel/security/keyring';
import type { Services } from '../../../services';
import type { Network } from '../../networks/record';
import { attestationOf } from '../attestation';
import type { Wallet, WalletScope } from '../record';
import { insertWallets, lockDerivation, type NewWallet, nextIndex } from '../store';
import { type NamedRole, namedAddresses } from './named-addresses';

export interface Derivation extends Pick<Network, 'chain' | 'kind'> {
  count: number;
  purpose: Wallet['purpose'];
  /** Absent: the index is the wallet's alone. */
  scope?: WalletScope | null;
  /** Further addresses that are skipped. */
  except?: readonly string[];
}

/** A new wallet with its id and attestation. */
export function attestedWallet(
  keyring: Keyring,
  { scope, ...of }: Omit<NewWallet, 'id' | 'attestation'>,
): NewWallet {
  const derived = { id: newId('wallet'), ...of };
  return { ...derived, scope, attestation: attestationOf(keyring, derived) };
}

/** The named roles that exclude an address from each purpose, because an address has one use for ever. */
const NEVER_WAS: Record<Wallet['purpose'], readonly NamedRole[]> = {
  pool: ['station', 'treasury'],
  station: ['treasury'],
};

/**
 * Derives the next wallets of a chain, available at once. All chains of a kind share one derivation for pool and
 * stations, so an index is the same address on each of them. A payer who uses the wrong chain therefore pays nobody
 * else. An address that was named for another use before it was derived is skipped, for instance an address of the same
 * seed elsewhere.
 *
 * No deposit is missed: an address is committed before anybody is told of it, and the watcher reads all addresses at
 * each range of blocks.
 */
export async function deriveWallets(
  { parties, keyring }: Pick<Services, 'parties' | 'keyring'>,
  tx: Tx,
  { chain, kind, count, purpose, scope = null, except: others = [] }: Derivation,
): Promise<Wallet[]> {
  await lockDerivation(tx, kind);
  const used = await namedAddresses(tx, chain); // naming an address takes the same lock
  const except = new Set([...NEVER_WAS[purpose].flatMap((role) => used[role]), ...others]);
  const made: NewWallet[] = [];
  let next = await nextIndex(tx, kind);
  while (made.length < count) {
    const first = next;
    const indices = Array.from({ length: count - made.length }, (_, place) => first + place);
    const addresses = await parties.signer.addresses(kind, indices, tx);
    for (const [place, derivationIndex] of indices.entries()) {
      const address = addresses[place];
      if (address === undefined) throw new Error('the signer returned fewer addresses than requested');
      if (except.has(address)) continue;
      made.push(attestedWallet(keyring, { chain, address, derivationIndex, purpose, scope }));
    }
    next += indices.length;
  }
  return insertWallets(tx, kind, made);
}
