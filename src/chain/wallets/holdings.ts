import type { Sql } from '../../kernel/db/database';
import type { Witnessed } from '../networks/nodes';
import { NATIVE_DECIMALS, toUnits } from '../networks/rules';
import type { ChainServices } from '../services';
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
    : {
        detail: BY_BOOKS,
        of: (wallets, token) =>
          token === null
            ? Promise.resolve(wallets.map((wallet) => notedGas(wallet, network.kind)))
            : byBooks(services, sql, wallets, token),
      };

const BY_BOOKS =
  'By the books: final deposits less what was swept. The native coin is what was noted. No node of this chain is asked.';

const addressOf = ({ address }: Wallet): string => address;

const notedGas = ({ gasBalance }: Wallet, kind: Witnessed['network']['kind']): bigint =>
  gasBalance === null ? 0n : toUnits(gasBalance, NATIVE_DECIMALS[kind]);

/** What was taken back after it was swept is missing elsewhere: no address has less than nothing. */
async function byBooks(
  { heldByBooks }: Pick<ChainServices, 'heldByBooks'>,
  sql: Sql,
  wallets: readonly Wallet[],
  token: string,
): Promise<bigint[]> {
  const [first] = wallets;
  if (!first) return [];
  const held = await heldByBooks(sql, first.chain, wallets.map(addressOf));
  const units = new Map(
    held.filter((each) => each.token === token).map((each) => [each.address, each.units]),
  );
  return wallets.map(({ address }) => {
    const there = units.get(address) ?? 0n;
    return there > 0n ? there : 0n;
  });
}
