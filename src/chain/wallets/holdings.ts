import type { Sql } from '../../kernel/db/database';
import { sweptFrom } from '../gas-station/beside-books';
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
  services: Pick<ChainServices, 'depositedAt'>,
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
  { depositedAt }: Pick<ChainServices, 'depositedAt'>,
  sql: Sql,
  wallets: readonly Wallet[],
  token: string,
): Promise<bigint[]> {
  const [first] = wallets;
  if (!first) return [];
  const addresses = wallets.map(addressOf);
  const came = await depositedAt(sql, first.chain, addresses);
  const left = await sweptFrom(sql, first.chain, addresses);
  const total = (found: readonly { address: string; token: string | null; units: bigint }[], at: string) =>
    found
      .filter((each) => each.address === at && each.token === token)
      .reduce((sum, { units }) => sum + units, 0n);
  return addresses.map((address) => {
    const units = total(came, address) - total(left, address);
    return units > 0n ? units : 0n;
  });
}
