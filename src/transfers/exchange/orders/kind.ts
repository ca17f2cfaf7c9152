import { isAccountClosed } from '../../../accounts/accounts/operations';
import type { Tx } from '../../../kernel/db/database';
import { PARTY_ACCOUNTS } from '../../../kernel/parties';
import { type ExchangeOrderWord, exchangeOrderWord } from '../../../parties/exchange/word';
import { processOfRecord } from '../../../process/workflow-command';
import type { ComponentTable } from '../../engine/books/position';
import { statusEvent } from '../../engine/events';
import type { NewDecision, ProcessSubject, TransferKind } from '../../engine/kind';
import { whyNotFundable } from '../../funding';
import { EXCHANGE_CALLBACKS } from '../party';
import { orderedOf } from './deal';
import { changedSince, closingOf, exchangeOrderPosition, givenTo } from './position';
import {
  EXCHANGE_ORDER_TRANSITIONS,
  type ExchangeOrder,
  type ExchangeOrderTerms,
  exchangeOrderTerms,
} from './record';
import { fallen, unreleased } from './release';
import * as rules from './rules';

/** Our key of the order is also the party's name for it. */
export const exchangeKey = (id: string) => `exchange-${id}`;

export const EXCHANGE_ORDER_COMPONENTS = {
  held: { on: 'hold', up: 'pending/exchange', down: 'transfer/exchange' },
  sold: { on: 'client', up: 'transfer/exchange_out', down: 'deposit/exchange_out_reversed' },
  fee: { on: 'client', up: 'fee/exchange_fee', down: 'deposit/exchange_fee_reversed' },
  bought: { on: 'client', up: 'transfer/exchange_in', down: 'withdraw/exchange_in_reversed' },
  // Money that an operator took from suspense to an account. Not related to a release after settlement.
  released: { on: 'client', up: 'transfer/exchange_in', down: 'withdraw/exchange_in_reversed' },
  // The amount that the party owes us, paid or not. Money that the party took of us is `settlement`, on the same
  // internal account. Checks sum that component alone, as money that left our balance at the exchange.
  owed: { on: 'internal', account: PARTY_ACCOUNTS.exchange },
} as const satisfies ComponentTable;

/** An exchange through the exchange party (decisions part 4, Exchange). Its `accountId` is the paying account. */
export const exchangeOrderKind: TransferKind<ExchangeOrderTerms, ExchangeOrderWord> = {
  name: 'exchange_order',
  idKind: 'exchangeOrder',
  party: 'exchange',
  process: processOfRecord<ProcessSubject>({
    workflow: 'exchangeOrder',
    prefix: 'exchange-order-',
    summary: 'Exchange order',
  }),
  terms: exchangeOrderTerms,
  word: exchangeOrderWord,
  components: EXCHANGE_ORDER_COMPONENTS,
  transitions: EXCHANGE_ORDER_TRANSITIONS,
  resolutions: ['credit', 'write_off', 'recover'],
  choose: fallen,
  measures: rules.measures,
  amounts: rules.amounts,
  // A deal is booked as a whole, so fills are not parts.
  parts: () => [],
  trigger: rules.trigger,
  failure: rules.failure,
  position: exchangeOrderPosition,
  orders: rules.orders,
  concluded: rules.concluded,
  unreleased,
  isOpen: rules.isOpen,
  deadline: () => null,
  eventsOf: (order, previous) => statusEvent(order, previous, 'transfer'),
  notices: changedSince,
  consider,
  async give(services, { transfer: { id, terms } }) {
    const { currency: from, toCurrency: to, minReceive } = terms;
    const key = exchangeKey(id);
    const word = await services.parties.exchange.order({
      key,
      from,
      to,
      amount: orderedOf(terms),
      ...(minReceive === null ? {} : { minReceive }),
      callbackUrl: services.publicUrl() + EXCHANGE_CALLBACKS,
    });
    return { partyRef: key, word };
  },
  async ask({ parties }, { transfer: { id } }) {
    const word = await parties.exchange.askOrder(exchangeKey(id));
    return word === 'unknown_to_party' ? word : { word };
  },
};

/**
 * Cancels an order before the exchange has it, when an account or user may not exchange any more. Afterwards notes
 * closed accounts that a word would credit.
 */
async function consider(
  tx: Tx,
  order: ExchangeOrder,
  before: ExchangeOrder,
): Promise<NewDecision | undefined> {
  const { status, orderedAt, accountId, terms } = order.transfer;
  const [from, to] = [accountId ?? '', terms.toAccountId];
  if (status === 'created' && orderedAt === null) {
    const code = (await whyNotFundable(tx, from)) ?? (await whyNotFundable(tx, to));
    return code === undefined ? undefined : { kind: 'cancel', data: { code } };
  }
  const given = givenTo(before, order);
  return closingOf(before, {
    from: given.from && (await isAccountClosed(tx, from)),
    to: given.to && (await isAccountClosed(tx, to)),
  });
}
