import type { PartyWord } from '../../../../../src/transfers/engine/record';
import type { KindProof } from '../kind-proof';
import type { PostgresProof } from '../stage';
import { cardTopupThroughPostgres, cardWithdrawalThroughPostgres } from './card-orders-postgres';
import { chainDepositProof } from './chain-deposits';
import { depositThroughPostgres } from './deposits-postgres';
import { exchangeOrderThroughPostgres } from './exchange-orders-postgres';
import { ibanCreditThroughPostgres } from './iban-credits-postgres';
import {
  exchangeWithdrawalThroughPostgres,
  ibanPayoutThroughPostgres,
  payoutThroughPostgres,
} from './payouts-postgres';

const proofs = [
  ...[depositThroughPostgres, payoutThroughPostgres, ibanPayoutThroughPostgres],
  ...[cardTopupThroughPostgres, cardWithdrawalThroughPostgres, ibanCreditThroughPostgres],
  exchangeOrderThroughPostgres,
  exchangeWithdrawalThroughPostgres,
];

/** Every kind that is proved through Postgres: a new one adds itself here. */
export const PROOFS = proofs as unknown as readonly PostgresProof<unknown, PartyWord>[];

/**
 * Every kind that is proved on the pure functions: these, and what no party lists. A deposit on a chain is found by real blocks
 * (test/watch/chains).
 */
export const PURE_PROOFS = [
  ...PROOFS.map(({ proof }) => proof),
  chainDepositProof as unknown as KindProof<unknown, PartyWord>,
];
