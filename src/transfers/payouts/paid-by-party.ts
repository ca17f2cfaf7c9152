import { clearDestination } from '../screening/destination';
import { endWaits } from '../screening/operations';
import { SCREENING_WAITS } from '../screening/record';
import { isRefusedMeanwhile, noteDecision } from './destinations/resting';
import { isCleared, waitsForOrder } from './judge-screening';
import { type OutgoingKind, type OutgoingSpec, outgoingKind } from './outgoing';
import { type PayoutTerms, payoutTerms } from './record';
import { destinationOf } from './reveal';
import type { PayoutTable } from './store';

/** Money that the payouts party pays (decisions part 4, Payouts): from an account, or from a virtual IBAN. */
export interface PayoutKind extends OutgoingKind<PayoutTerms> {
  /** Table of the fields beside the transfer. */
  readonly table: PayoutTable;
}

/** The differences between the kinds of payouts. */
export interface PayoutSpec
  extends Omit<
      OutgoingSpec<PayoutTerms>,
      'noun' | 'party' | 'event' | 'terms' | 'clear' | 'kept' | 'passed' | 'give' | 'ask'
    >,
    Pick<PayoutKind, 'table'> {
  /** Callback path of the party. */
  callbackPath: string;
}

/** Reason of a payout's rejection, for the client. */
const REFUSED = 'The operator has rejected another payout to this new destination.';

export function paidByParty({ table, callbackPath, ...spec }: PayoutSpec): PayoutKind {
  const kind = outgoingKind<PayoutTerms>({
    ...spec,
    noun: 'payout',
    party: 'payouts',
    event: 'payout',
    terms: payoutTerms,
    decided: noteDecision,
    async consider(tx, payout, before) {
      if (await isRefusedMeanwhile(tx, payout)) return { kind: 'reject', reason: REFUSED };
      return spec.consider?.(tx, payout, before);
    },
    async clear(services, payout) {
      const { id, tenantId, accountId, terms } = payout.transfer;
      const { method, receivedAmount: amount } = terms;
      if (method !== 'crypto' || isCleared(payout)) return { verdict: 'clear' };
      const to = await destinationOf(services.database, services.keyring, table, id);
      const { chain = '', asset = '', address = '' } = to;
      return clearDestination(services, {
        id,
        tenantId,
        chain,
        asset,
        address,
        accountId,
        amount,
        waits: waitsForOrder,
      });
    },
    kept(tx, all) {
      const ended = all.filter(({ situation }) => !waitsForOrder(situation));
      const screened = ended.filter(({ situation: { transfer } }) => transfer.terms.method === 'crypto');
      endWaits(
        tx,
        screened.map(({ situation: { transfer } }) => transfer.id),
      );
    },
    passed: (payout) => (waitsForOrder(payout) ? [] : [SCREENING_WAITS]),
    async give({ database, keyring, parties, publicUrl }, { transfer: { id, partyRef, terms } }) {
      const { method, receivedAmount: amount, receivedCurrency: currency } = terms;
      const destination = await destinationOf(database, keyring, table, id);
      const callbackUrl = publicUrl() + callbackPath;
      const order = { key: partyRef ?? id, method, amount, currency, destination, callbackUrl };
      return { word: await parties.payouts.order(order) };
    },
    async ask({ parties }, { transfer: { id, partyRef } }) {
      const word = await parties.payouts.ask(partyRef ?? id);
      return word === 'unknown_to_party' ? word : { word };
    },
  });
  return { ...kind, table };
}
