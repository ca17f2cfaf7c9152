import type { Tx } from '../../kernel/db/database';
import { type PayoutWord, payoutWord } from '../../parties/payouts/word';
import { processOfRecord } from '../../process/workflow-command';
import { statusEvent } from '../engine/events';
import type { ProcessSubject, TransferKind } from '../engine/kind';
import { openDestination, type SealedFor } from './destinations/sealing';
import { payoutPosition, shortfall } from './position';
import { PAYOUT_TRANSITIONS, type Payout, type PayoutTerms, payoutTerms } from './record';
import * as rules from './rules';
import { findSealedDestination, type PayoutTable } from './store';

/** Money that the payouts party pays (decisions part 4, Payouts): from an account, or from a virtual IBAN. */
export interface PayoutKind extends TransferKind<PayoutTerms, PayoutWord> {
  /** Of what it has beside its transfers. */
  readonly table: PayoutTable;
  readonly sealedFor: SealedFor;
  /** What else stands against an approval. @throws Problem 409 */
  assertApprovable?(tx: Tx, payout: Payout): Promise<void>;
}

/** What tells one kind of payout from another. */
export interface OutgoingSpec
  extends Pick<PayoutKind, 'name' | 'components' | 'consider' | 'table' | 'sealedFor' | 'assertApprovable'> {
  /** Its workflow, and what the workflow's id begins with. */
  workflow: string;
  prefix: string;
  summary: string;
  fallbacks: rules.Fallbacks;
  /** Where the party tells that it has moved. */
  callbackPath: string;
}

export function outgoingKind(spec: OutgoingSpec): PayoutKind {
  const { workflow, prefix, summary, fallbacks, callbackPath, ...own } = spec;
  return {
    ...own,
    party: 'payouts',
    process: processOfRecord<ProcessSubject>({ workflow, prefix, summary }),
    terms: payoutTerms,
    word: payoutWord,
    transitions: PAYOUT_TRANSITIONS,
    doors: ['credit', 'write_off', 'recover'],
    // Nothing here depends on the time or on the way: whether a person must decide is in the terms.
    choose: () => undefined,
    measures: rules.measures,
    amounts: ({ sent, returns }, { transfer: { terms } }) =>
      [{ amount: sent }, ...returns].map(({ amount }) => ({ amount, currency: terms.receivedCurrency })),
    parts: rules.parts,
    trigger: rules.trigger,
    failure: (payout, on) => rules.failure(payout, on, fallbacks),
    position: payoutPosition,
    orders: rules.orders,
    concluded: rules.concluded,
    isOpen: rules.isOpen,
    deadline: () => null,
    notices: shortfall,
    told: (payout, previous) => statusEvent(payout, previous, 'payout'),
    async give({ database, keyring, parties, publicUrl }, { transfer: { id, partyRef, terms } }) {
      const { method, receivedAmount: amount, receivedCurrency: currency } = terms;
      const sealed = await findSealedDestination(database, own.table, id);
      const destination = openDestination(keyring, own.sealedFor, sealed, id);
      const callbackUrl = publicUrl() + callbackPath;
      const order = { key: partyRef ?? id, method, amount, currency, destination, callbackUrl };
      return { word: await parties.payouts.order(order) };
    },
    async ask({ parties }, { transfer: { id, partyRef } }) {
      const word = await parties.payouts.ask(partyRef ?? id);
      return word === 'unknown_to_party' ? word : { word };
    },
  };
}
