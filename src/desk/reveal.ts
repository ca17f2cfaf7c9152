import type { Sql } from '../kernel/db/database';
import { notFound } from '../kernel/errors';
import type { IdKind } from '../kernel/ids';
import type { Keyring } from '../kernel/security/keyring';
import type { Revealed } from '../process/desk/record';
import { readSituation } from '../transfers/engine/read';
import { bankOf, requireDestination } from '../transfers/exchange/destinations/operations';
import { exchangeWithdrawalKind } from '../transfers/exchange/withdrawals/kind';

type Revealer = (sql: Sql, keyring: Keyring, id: string) => Promise<Revealed>;

/** Unmasks records whose domain declares no desk yet. */
export const REVEALERS: Partial<Record<IdKind, Revealer>> = {
  exchangeWithdrawal: async (sql, keyring, id) => {
    const found = await readSituation(sql, exchangeWithdrawalKind, id, new Date());
    if (!found) throw notFound('withdrawal');
    const { tenantId, terms } = found.transfer;
    const data = await bankOf(sql, keyring, terms.destinationId);
    return { action: 'exchange_withdrawal.reveal', tenantId, data };
  },
  withdrawalDestination: async (sql, keyring, id) => {
    const { tenantId } = await requireDestination(sql, null, id);
    return { action: 'destination.reveal', tenantId, data: await bankOf(sql, keyring, id) };
  },
};
