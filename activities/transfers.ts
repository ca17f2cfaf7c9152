import { Context } from '@temporalio/activity';
import type { Composed } from '../src/composition';
import type { MoneyParty, WatchedParty } from '../src/kernel/outbox/queues';
import { createPartyGate, type PartyGate } from '../src/process/party-gate';
import { advanceNamed } from '../src/transfers/advance-named';
import { chainDepositKind } from '../src/transfers/chain-deposits/kind';
import { depositKind } from '../src/transfers/deposits/kind';
import { discover } from '../src/transfers/discover';
import { advance, type Progress } from '../src/transfers/engine/advance';
import type { AnyKind, Discovered } from '../src/transfers/engine/kind';
import { exchangeOrderKind } from '../src/transfers/exchange/orders/kind';
import { exchangeWithdrawalKind } from '../src/transfers/exchange/withdrawals/kind';
import { lookAtCredit } from '../src/transfers/iban/credits/look';
import { ibanPayoutKind } from '../src/transfers/iban/payouts/kind';
import { payoutKind } from '../src/transfers/payouts/kind';
import { watchChain } from '../src/watch/chains/watch';
import { watchParty } from '../src/watch/watch';
import { sliceOf } from './slice';

/** Idempotent: each `advance…` and `lookAt…` is the engine's one step of a transfer. */
export interface TransferActivities {
  lookAtDeposit(id: string): Promise<Progress>;
  advancePayout(id: string): Promise<Progress>;
  advanceIbanPayout(id: string): Promise<Progress>;
  advanceExchangeWithdrawal(id: string): Promise<Progress>;
  /** Looks for the deposit of a checkout session that no deposit names. @returns what the session turned out to be */
  matchSession(sessionId: string): Promise<Discovered>;
  /** Advances a top-up from a payment card, or a withdrawal to one. The id tells which. */
  advanceExternalCard(id: string): Promise<Progress>;
  advanceExchangeOrder(id: string): Promise<Progress>;
  /** @param bankId the bank's id of a payment, for which no record may exist yet */
  lookAtIbanCredit(bankId: string): Promise<Progress>;
  advanceChainDeposit(id: string): Promise<Progress>;
  /** Follows the blocks of a chain for four hours. @returns false when the chain is no longer to be followed */
  watchChain(chain: string): Promise<boolean>;
  /** Follows a party's list of changes for four hours. */
  watchParty(party: WatchedParty): Promise<void>;
}

export interface TransferOptions {
  gate?: PartyGate;
  /** How long one watching activity runs, in milliseconds. */
  sliceMs?: number;
}

const gateOf = (services: Composed): PartyGate =>
  createPartyGate({ observe: (party, open) => services.observeBreaker('workflow', party, open) });

export function createTransferActivities(
  services: Composed,
  { gate = gateOf(services), sliceMs }: TransferOptions = {},
): TransferActivities {
  const through = <T>(party: MoneyParty, work: () => Promise<T>): Promise<T> =>
    Context.current().info.isLocal ? gate.inPassing(party, work) : gate.patiently(party, work);
  const step =
    (kind: AnyKind) =>
    (id: string): Promise<Progress> =>
      through(kind.party, () => advance(services, kind, id));
  return {
    lookAtDeposit: step(depositKind),
    advancePayout: step(payoutKind),
    advanceIbanPayout: step(ibanPayoutKind),
    advanceExchangeWithdrawal: step(exchangeWithdrawalKind),
    matchSession: (sessionId) => through('checkout', () => discover(services, 'checkout', sessionId)),
    advanceExternalCard: (id) => through('externalCards', () => advanceNamed(services, 'card_transfer', id)),
    advanceExchangeOrder: step(exchangeOrderKind),
    lookAtIbanCredit: (bankId) =>
      through('bank', () => lookAtCredit(services, bankId, (ref) => discover(services, 'bank', ref))),
    advanceChainDeposit: step(chainDepositKind),
    watchChain: (chain) => watchChain(services, chain, watching(sliceMs)),
    watchParty: (party) => watchParty(services, party, watching(sliceMs)),
  };
}

function watching(sliceMs: number | undefined) {
  const context = Context.current();
  return {
    signal: AbortSignal.any([
      context.cancellationSignal,
      AbortSignal.timeout(sliceOf(context.info, sliceMs)),
    ]),
    beat: () => context.heartbeat(),
  };
}
