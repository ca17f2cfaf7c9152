import type { ExchangeParty } from '../../../../../src/parties/exchange/port';
import type { ExchangeOrderWord } from '../../../../../src/parties/exchange/word';
import { PartyAway, PartyRefused } from '../../../../../src/process/party-errors';
import { cancelOrder, releaseOrder } from '../../../../../src/transfers/exchange/orders/decide';
import { exchangeKey } from '../../../../../src/transfers/exchange/orders/kind';
import type { ExchangeOrderTerms } from '../../../../../src/transfers/exchange/orders/record';
import { masterAccount } from '../../../../support/cards';
import { OPERATOR } from '../acts';
import type { PostgresProof } from '../stage';
import type { WordDouble } from '../word-double';
import { onSomeAccount, provide, sometimesClosed } from './accounts';
import { exchangeOrderProof } from './exchange-orders';

/** An exchange over the double. Its orders are named by their keys. */
function exchangeOver(
  double: WordDouble<ExchangeOrderWord>,
  refuses: (key: string) => boolean,
): ExchangeParty {
  const away = () => Promise.reject(new PartyAway('the double deals orders alone'));
  return {
    async order({ key }) {
      if (refuses(key)) throw new PartyRefused('market_closed');
      double.order(key, key);
      return double.ask(key) as ExchangeOrderWord;
    },
    askOrder: async (key) => double.ask(key),
    withdraw: away,
    askWithdrawal: away,
    balances: away,
    verify: () => undefined,
    changes: double.changes,
  };
}

/** One order in three has a least amount, so that it is all or nothing. */
const LEAST = [undefined, undefined, '100.00'];

export const exchangeOrderThroughPostgres: PostgresProof<ExchangeOrderTerms, ExchangeOrderWord> = {
  proof: exchangeOrderProof,
  firstWord: () => ({ status: 'open', fills: [] }),
  port: exchangeOver,
  prepare: provide,
  act(services, tx, orderId, { kind }) {
    if (kind === 'release') return releaseOrder(services, tx, { orderId, decidedBy: OPERATOR });
    if (kind === 'cancel')
      return cancelOrder(services, tx, { orderId, reason: 'asked for', decidedBy: OPERATOR });
    return undefined;
  },
  requiredStatuses: ['awaiting_settlement', 'cancelled', 'completed', 'executing', 'failed'],
  requiredDecisions: ['cancel', 'conclude', 'refused', 'release'],
  async open({ api, client, random }) {
    const toAccountId = await masterAccount(client, 'USD');
    const minReceive = LEAST[Math.floor(random() * LEAST.length)];
    const id = await onSomeAccount(api, client, { currency: 'EUR', amount: 120 }, random, (fromAccountId) =>
      client.call(
        'POST',
        '/v1/exchange/orders',
        { fromAccountId, toAccountId, amount: '100.00', ...(minReceive && { minReceive }) },
        { 'x-idempotency-key': `proof-${random()}` },
      ),
    );
    await sometimesClosed(api, id, random);
    return { id, ref: exchangeKey(id) };
  },
};
