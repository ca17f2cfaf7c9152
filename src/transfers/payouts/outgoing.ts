import type { Destination } from '../../parties/payouts/port';
import type { PayoutWord } from '../../parties/payouts/word';
import { payoutWord } from '../../parties/payouts/word';
import { processOf } from '../../process/workflow-command';
import type { Services } from '../../services';
import { statusEvent } from '../engine/events';
import type { ProcessSubject, TransferKind } from '../engine/kind';
import type { ComponentTable } from '../engine/position';
import { PAYOUT_DOORS, payoutPosition, shortfall } from './position';
import { PAYOUT_TRANSITIONS, type PayoutTerms, payoutTerms } from './record';
import {
  chooseForPayout,
  concludedPayout,
  type Fallbacks,
  failureOfPayout,
  isOpenPayout,
  measuresOfPayout,
  ordersOfPayout,
  partsOfPayout,
  triggerOfPayout,
} from './rules';

export type PayoutKind = TransferKind<PayoutTerms, PayoutWord>;

/** What tells one kind of payout from another. */
export interface OutgoingSpec extends Pick<PayoutKind, 'name' | 'consider'> {
  /** Its workflow, and what the workflow's id begins with. */
  workflow: string;
  prefix: string;
  summary: string;
  components: ComponentTable;
  fallbacks: Fallbacks;
  /** Where the party tells that it has moved. */
  callbackPath: string;
  /** For the moment of ordering it: never to be logged, returned to a workflow, or kept. */
  destinationOf(services: Services, id: string): Promise<Destination>;
}

/** Money that the payouts party pays (decisions part 4, Payouts): from an account, or from a virtual IBAN. */
export function outgoingKind(spec: OutgoingSpec): PayoutKind {
  const { name, consider, workflow, prefix, summary, components, fallbacks, callbackPath } = spec;
  return {
    name,
    party: 'payouts',
    process: processOf<ProcessSubject>({ workflow, prefix, summary, key: ({ id }) => [id] }),
    terms: payoutTerms,
    word: payoutWord,
    components,
    transitions: PAYOUT_TRANSITIONS,
    doors: PAYOUT_DOORS,
    choose: chooseForPayout,
    measures: measuresOfPayout,
    amounts: ({ sent, returns }, { transfer: { terms } }) =>
      [{ amount: sent }, ...returns].map(({ amount }) => ({ amount, currency: terms.receivedCurrency })),
    parts: partsOfPayout,
    trigger: triggerOfPayout,
    failure: (payout, on) => failureOfPayout(payout, on, fallbacks),
    position: payoutPosition,
    orders: ordersOfPayout,
    concluded: concludedPayout,
    isOpen: isOpenPayout,
    deadline: () => null,
    notices: shortfall,
    told: (payout, previous) => statusEvent(payout, previous, 'payout'),
    ...(consider ? { consider } : {}),
    async give(services, { transfer: { id, partyRef, terms } }) {
      const { method, receivedAmount: amount, receivedCurrency: currency } = terms;
      const destination = await spec.destinationOf(services, id);
      const callbackUrl = services.publicUrl() + callbackPath;
      const order = { key: partyRef ?? id, method, amount, currency, destination, callbackUrl };
      return { word: await services.parties.payouts.order(order) };
    },
    async ask({ parties }, { transfer: { id, partyRef } }) {
      const word = await parties.payouts.ask(partyRef ?? id);
      return word === 'unknown_to_party' ? word : { word };
    },
  };
}
