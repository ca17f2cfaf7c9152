import type { Sql, Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import type { Network } from '../networks/record';
import { isAttested } from './attestation';
import type { Wallet, WalletBond } from './record';
import { attestedWallet } from './seed/derive';
import { rolesOf } from './seed/named-addresses';
import { insertWallets, lockDerivation, wallets } from './store';

/**
 * A key gives the same address on every EVM network. A payer who uses the wrong network therefore pays to us, too. The
 * network on which the money has come adopts the wallet: the wallet is swept, compared with the books and shown there,
 * and never given to a payer.
 */

/** An address of ours on which nobody had to pay on a network, because it was derived for another one. */
export interface Stray {
  address: string;
  /** The network that it was derived for. */
  homeChain: string;
  /** The tenant that the address belongs to for ever. Null: it was never allocated. */
  tenantId: string | null;
  /** The network has adopted the wallet already. */
  isAdopted: boolean;
  /** False for a row that somebody has written by hand, and where the network has named the address for another use. */
  isOurs: boolean;
}

type Home = Pick<
  Wallet,
  'id' | 'chain' | 'address' | 'derivationIndex' | 'purpose' | 'scope' | 'attestation'
> & {
  tenantId: string | null;
  /** Set where a recovery has made the wallet, because earlier payers may pay its address in the native coin. */
  boundTo: WalletBond | null;
  isAdopted: boolean;
  isNamed: boolean;
};

// An address may have adopted wallets alone: a recovery has made them. They serve where the address has no other.
// Raw: an anti-join. The addresses are looked up first and alone, by the index wallets_of_address. Otherwise Postgres may look for
// further conditions by an index as well, and read the whole pool. A key that another system holds signs for its own network only.
const HOMES = `
  with ours as materialized (
    select w.id, w.chain, w.address, w.derivation_index, w.purpose, w.scope, w.attestation, w.tenant_id, w.adopted, w.bound_to,
           w.held_by
      from wallets w where w.address = any ($2::text[]))
  select distinct on (home.address) home.id, home.chain, home.address, home.derivation_index as "derivationIndex", home.purpose,
         home.scope, home.attestation, home.tenant_id as "tenantId", own.id is not null as "isAdopted",
         case when home.adopted then home.bound_to end as "boundTo",
         exists (select from named_addresses n where n.chain = $1 and n.address = home.address) as "isNamed"
    from ours home left join ours own on own.address = home.address and own.chain = $1
   where home.chain <> $1 and home.held_by is null
     and (own.id is null
          or own.adopted and not home.adopted
             and not exists (select from wallet_allocations held where held.wallet_id = own.id))
   order by home.address, home.adopted, home.tenant_id nulls last, home.chain`;

const homesOf = (sql: Sql, chain: string, addresses: readonly string[]): Promise<Home[]> =>
  addresses.length === 0 ? Promise.resolve([]) : sql.query<Home>(HOMES, [chain, [...new Set(addresses)]]);

/** Finds which addresses are ours by another network only: the network has no wallet there, or an adopted one. */
export async function straysAmong(
  sql: Sql,
  keyring: Keyring,
  chain: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Stray>> {
  const found = await homesOf(sql, chain, addresses);
  return new Map(
    found.map(({ address, tenantId, isAdopted, isNamed, ...home }) => {
      const isOurs = !isNamed && isAttested(keyring, { address, ...home });
      return [address, { address, homeChain: home.chain, tenantId, isAdopted, isOurs }];
    }),
  );
}

/**
 * Lists the stations of other networks, whose addresses may be paid on this one by mistake. The condition repeats the predicate of the
 * index `wallets_of_stations`.
 */
export async function stationsElsewhere(
  sql: Sql,
  { chain, kind }: Pick<Network, 'chain' | 'kind'>,
): Promise<string[]> {
  const rows = await sql.run<{ address: string }>(
    wallets()
      .select('address')
      .where({ kind, heldBy: null })
      .whereNot({ chain })
      .whereRaw(`purpose = 'station'`),
  );
  return rows.map(({ address }) => address);
}

/**
 * Gives a network the wallets of addresses that {@link straysAmong} has found. Idempotent. A scope's index joins the
 * scope; any other index stays with its network, and the adopted wallet is never allocated.
 * @param bond of the wallets; absent: as the address has
 * @returns the wallets that were made
 * @throws Problem 409 `invalid_transition` when the network has named such an address for another use
 */
export async function adoptWallets(
  { keyring }: { keyring: Keyring },
  tx: Tx,
  { chain, kind }: Pick<Network, 'chain' | 'kind'>,
  addresses: readonly string[],
  bond?: WalletBond,
): Promise<Wallet[]> {
  if (addresses.length === 0) return [];
  await lockDerivation(tx, kind); // naming an address takes the same lock
  const [named] = await rolesOf(tx, chain, addresses);
  if (named) throw conflict('invalid_transition', `${named[0]} is a ${named[1]} of the network.`, 'address');
  const homes = await homesOf(tx, chain, addresses);
  const rows = homes
    .filter((home) => !home.isAdopted && isAttested(keyring, home))
    .map(({ address, derivationIndex, scope, tenantId, boundTo }) => ({
      // A station of another network is a wallet of the pool here, because it pays for nothing here.
      ...attestedWallet(keyring, { chain, address, derivationIndex, purpose: 'pool', scope }),
      tenantId,
      boundTo: bond ?? boundTo,
      adopted: true as const,
    }));
  return insertWallets(tx, kind, rows);
}
