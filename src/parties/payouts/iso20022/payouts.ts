import { sumOf } from '../../../kernel/money/money';
import { PartyRefused } from '../../../process/party-errors';
import { askableOrder, askBack } from '../../iso20022/apply/recalls';
import type { FileExchange } from '../../iso20022/exchange';
import { takeOrder } from '../../iso20022/orders';
import type { BankFilesServices } from '../../iso20022/services';
import { changesAfter } from '../../iso20022/store/changes';
import { type BankOrder, findOrder, type OrderReturn, returnsOfOrder } from '../../iso20022/store/orders';
import type { Destination, PayoutParty } from '../port';
import type { PayoutWord } from '../word';

/**
 * Adapter of the payouts party: a bank that takes `pain.001` files. An order is stored at once and leaves with the next
 * file. There are no callbacks, because the files of the folder are the bank's word.
 */
export function createFilePayouts(services: BankFilesServices, exchange: FileExchange): PayoutParty {
  const { database } = services;
  const wordOf = async (order: BankOrder): Promise<PayoutWord> =>
    payoutWordOf(order, await returnsOfOrder(database, order.key));
  return {
    async order({ key, method, amount, currency, destination }) {
      if (method !== 'sepa' && method !== 'swift') throw new PartyRefused('method_not_supported');
      const payee = payeeOf(destination);
      return wordOf(
        await takeOrder(services, { key, purpose: 'payout', service: method, amount, currency, payee }),
      );
    },
    async ask(key) {
      const order = await findOrder(database, key);
      return order?.purpose === 'payout' ? wordOf(order) : 'unknown_to_party';
    },
    async changes(after) {
      await exchange.turn();
      return changesAfter(database, 'payouts', after);
    },
    recalls: {
      state: async (sql, key) => (await findOrder(sql, key))?.recall ?? null,
      async assertAskable(sql, key) {
        await askableOrder(sql, key);
      },
      ask: (tx, given) => askBack(services, tx, given),
    },
    verify: () => undefined,
  };
}

const payeeOf = ({ name, iban, bic, country, accountNumber }: Destination) => ({
  name,
  iban,
  bic,
  country,
  accountNumber,
});

/** The order as the port reports it. A return that is told before its debit shows with it. */
export function payoutWordOf(order: BankOrder, all: readonly OrderReturn[]): PayoutWord {
  const returns = order.sent.gt(0) ? all.map(({ id, amount }) => ({ id, amount })) : [];
  return {
    version: order.version,
    status: statusOf(order, sumOf(returns).gt(0)),
    failureCode: order.failureCode ?? undefined,
    sent: order.sent,
    returns,
  };
}

function statusOf({ stage }: BankOrder, isReturned: boolean): PayoutWord['status'] {
  if (isReturned) return 'returned';
  return stage === 'ordered' || stage === 'accepted' ? 'processing' : stage;
}
