import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import type { Services } from '../../services';
import type { Network } from '../networks/record';
import { type NamedRole, namedAddresses } from './named-addresses';
import type { Wallet } from './record';
import { insertWallets, lockDerivation, type NewWallet, nextIndex } from './store';

export interface Derivation extends Pick<Network, 'chain' | 'kind'> {
  count: number;
  purpose: Wallet['purpose'];
}

/** An address has one use for ever: what it must not have been named as, for each purpose. */
const NEVER_WAS: Record<Wallet['purpose'], readonly NamedRole[]> = {
  pool: ['station', 'treasury'],
  station: ['treasury'],
};

/**
 * Makes the next wallets of a chain, available at once. Pool and stations of all chains of a kind share one derivation: an index is
 * the same address on each of them, and who pays on another chain than he was told must not pay somebody else. The place of an address
 * that was named for another use of the chain before it was made, as from elsewhere with the same seed, is left out.
 *
 * No deposit to them can be missed: an address is in the table before the transaction that tells anybody of it has ended, and whoever
 * follows the chain reads the addresses at each range of blocks, which are later than that.
 */
export async function deriveWallets(
  { parties }: Pick<Services, 'parties'>,
  tx: Tx,
  { chain, kind, count, purpose }: Derivation,
): Promise<Wallet[]> {
  await lockDerivation(tx, kind);
  const used = await namedAddresses(tx, chain); // whoever names one takes the same lock
  const except = new Set(NEVER_WAS[purpose].flatMap((role) => used[role]));
  const made: NewWallet[] = [];
  let next = await nextIndex(tx, kind);
  while (made.length < count) {
    const first = next;
    const indices = Array.from({ length: count - made.length }, (_, place) => first + place);
    const addresses = await parties.signer.addresses(kind, indices, tx);
    for (const [place, derivationIndex] of indices.entries()) {
      const address = addresses[place];
      if (address === undefined) throw new Error('the signer gave fewer addresses than were asked for');
      if (!except.has(address)) made.push({ id: newId('wallet'), chain, address, derivationIndex, purpose });
    }
    next += indices.length;
  }
  return insertWallets(tx, kind, made);
}
