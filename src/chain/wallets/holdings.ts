import type { Sql } from '../../kernel/db/database';
import type { Witnessed } from '../networks/nodes';
import { NATIVE_DECIMALS, toUnits } from '../networks/rules';
import type { ChainServices, Held } from '../services';
import type { Wallet } from './record';

/** What stands on wallets of ours. Units are the chain's. */
export interface Holdings {
  /** Where it is known from, for a person; nothing where it is the chain that says it. */
  detail: string | undefined;
  /** Of each wallet, in their order. @param token null: the native coin @throws as `ChainNode.balances` */
  of(wallets: readonly Wallet[], token: string | null): Promise<bigint[]>;
}

/** By the nodes of a chain, or, where none is asked, by what people have told. */
export const holdingsOn = (
  services: Pick<ChainServices, 'heldByBooks'>,
  sql: Sql,
  { network, node }: Witnessed,
): Holdings =>
  node
    ? { detail: undefined, of: (wallets, token) => node.balances(wallets.map(addressOf), token) }
    : told(
        network,
        readOnce((addresses) => services.heldByBooks(sql, network.chain, addresses)),
      );

const told = ({ kind }: Witnessed['network'], read: ReadBooks): Holdings => ({
  detail: BY_BOOKS,
  of: (wallets, token) =>
    token === null
      ? Promise.resolve(wallets.map((wallet) => notedGas(wallet, kind)))
      : byBooks(read, wallets, token),
});

const BY_BOOKS =
  'By the books: final deposits less what was swept. The native coin is what was noted. No node of this chain is asked.';

const addressOf = ({ address }: Wallet): string => address;

const notedGas = ({ gasBalance }: Wallet, kind: Witnessed['network']['kind']): bigint =>
  gasBalance === null ? 0n : toUnits(gasBalance, NATIVE_DECIMALS[kind]);

/** What is on those addresses, of whichever token, in their order. */
type ReadBooks = (addresses: readonly string[]) => Promise<Held[][]>;

/** The books are asked once about an address, for all its tokens: its whole history is summed. */
function readOnce(read: (addresses: readonly string[]) => Promise<Held[]>): ReadBooks {
  const known = new Map<string, Promise<Held[]>>();
  return (addresses) => {
    const unknown = addresses.filter((address) => !known.has(address));
    if (unknown.length > 0) {
      const found = read(unknown).then(byAddress);
      for (const address of unknown)
        known.set(
          address,
          found.then((held) => held.get(address) ?? []),
        );
    }
    return Promise.all(addresses.map(async (address) => (await known.get(address)) ?? []));
  };
}

function byAddress(held: readonly Held[]): Map<string, Held[]> {
  const found = new Map<string, Held[]>();
  for (const each of held) {
    const same = found.get(each.address);
    if (same) same.push(each);
    else found.set(each.address, [each]);
  }
  return found;
}

/** What was taken back after it was swept is missing elsewhere, and shown: no address has less than nothing. */
async function byBooks(read: ReadBooks, wallets: readonly Wallet[], token: string): Promise<bigint[]> {
  const held = await read(wallets.map(addressOf));
  return held.map((each) => {
    const there = each.find((one) => one.token === token)?.units ?? 0n;
    return there > 0n ? there : 0n;
  });
}
