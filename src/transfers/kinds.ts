import type { Sql } from '../kernel/db/database';
import { notFound } from '../kernel/errors';
import type { IdKind } from '../kernel/ids';
import { chainDepositKind } from './chain-deposits/kind';
import { CHAIN_DEPOSIT_STATUSES } from './chain-deposits/record';
import { depositKind } from './deposits/kind';
import type { AnyKind } from './engine/kind';
import { kindNameOf } from './engine/read';
import { exchangeOrderKind } from './exchange/orders/kind';
import { EXCHANGE_ORDER_STATUSES } from './exchange/orders/record';
import { exchangeWithdrawalKind } from './exchange/withdrawals/kind';
import { cardTopupKind, cardWithdrawalKind } from './external-cards/kind';
import { SHOWN_STATUSES } from './external-cards/record';
import { ibanCreditKind } from './iban/credits/kind';
import { ibanPayoutKind } from './iban/payouts/kind';
import { payoutKind } from './payouts/kind';
import { PAYOUT_STATUSES } from './payouts/record';

/** All kinds of transfers, which together are all ways of money in and out of the platform. */
export const TRANSFER_KINDS: readonly AnyKind[] = [
  depositKind,
  payoutKind,
  ibanPayoutKind,
  ibanCreditKind,
  chainDepositKind,
  cardTopupKind,
  cardWithdrawalKind,
  exchangeOrderKind,
  exchangeWithdrawalKind,
];

/** The statuses of all kinds. */
export const TRANSFER_STATUSES: readonly string[] = [
  ...new Set(
    TRANSFER_KINDS.flatMap(({ transitions }) => transitions.flatMap(({ from, to }) => [...from, to])),
  ),
];

/** The statuses of transfers in `payout.status_changed` and `transfer.status_changed`. */
export const TOLD_TRANSFER_STATUSES = {
  payout: PAYOUT_STATUSES,
  transfer: [
    ...new Set([
      ...SHOWN_STATUSES,
      ...EXCHANGE_ORDER_STATUSES,
      ...PAYOUT_STATUSES,
      ...CHAIN_DEPOSIT_STATUSES,
    ]),
  ],
} as const;

/** The sorts of ids that transfers have. */
export const TRANSFER_IDS: readonly IdKind[] = [...new Set(TRANSFER_KINDS.map(({ idKind }) => idKind))];

/** @throws Error for an unknown name */
export function kindOf(name: string): AnyKind {
  const found = TRANSFER_KINDS.find((kind) => kind.name === name);
  if (!found) throw new Error(`there is no kind of transfer named ${name}`);
  return found;
}

/** Finds the kind of a transfer by its id. Undefined for an unknown id. */
export async function findKind(sql: Sql, id: string): Promise<AnyKind | undefined> {
  const name = await kindNameOf(sql, id);
  return name === undefined ? undefined : kindOf(name);
}

/** Finds the kind of a transfer by its id. @throws Problem 404 */
export async function requireKind(sql: Sql, id: string): Promise<AnyKind> {
  const kind = await findKind(sql, id);
  if (!kind) throw notFound('transfer');
  return kind;
}
