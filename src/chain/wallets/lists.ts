import { anyOf, filtered, type IdPage, newestFirst, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { Wallet } from './record';
import { WALLET_COLUMNS } from './store';

export interface WalletFilter {
  chain?: string | undefined;
  status?: Wallet['status'] | undefined;
  purpose?: Wallet['purpose'] | undefined;
}

/** Wallets of pool and stations, newest first. */
export const listWallets = (sql: Sql, filter: WalletFilter, page: IdPage): Promise<Wallet[]> =>
  sql.run(table('wallets').select(WALLET_COLUMNS).modify(filtered, filter).modify(newestFirst, page));

/** What may be swept: nobody pays to them now, and no operator has taken them out. */
export const SWEEPABLE = ['available', 'quarantined'] as const satisfies Wallet['status'][];

/** The pool's wallets of a chain that may be swept, in the order of their derivation. */
export const sweepableWallets = (sql: Sql, chain: string): Promise<Wallet[]> =>
  sql.run(
    table('wallets')
      .select(WALLET_COLUMNS)
      .where({ chain, purpose: 'pool' })
      .where(anyOf('status', SWEEPABLE))
      .orderBy('derivationIndex'),
  );
