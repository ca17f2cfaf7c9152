import type { PartyWord } from '../../../../../src/transfers/engine/record';
import type { PostgresProof } from '../stage';
import { cardTopupThroughPostgres, cardWithdrawalThroughPostgres } from './card-orders-postgres';
import { chainDepositThroughPostgres } from './chain-deposits/postgres';
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
  ...[exchangeWithdrawalThroughPostgres, chainDepositThroughPostgres],
];

/** The proofs of all kinds. A new kind is added here. */
export const PROOFS = proofs as unknown as readonly PostgresProof<unknown, PartyWord>[];
