import { sumOf } from '../../kernel/money/money';
import { PartyRefused } from '../../process/party-errors';
import type { EarlierPayouts, PayoutParty, PayoutState } from './port';
import type { PayoutWord } from './word';

/** The members that the engine before src/transfers/engine uses, from the words of those that stay. */
export function earlierPayouts({ order, ask }: Pick<PayoutParty, 'order' | 'ask'>): EarlierPayouts {
  return {
    async submit(given) {
      try {
        return stateOf(await order(given));
      } catch (error) {
        if (!(error instanceof PartyRefused)) throw error;
        return { status: 'failed', failureCode: error.code };
      }
    },
    async get(key) {
      const word = await ask(key);
      return word === 'unknown_to_party' ? word : stateOf(word);
    },
  };
}

function stateOf({ status, failureCode, returns }: PayoutWord): PayoutState {
  return {
    status,
    ...(failureCode === undefined ? {} : { failureCode }),
    ...(returns.length === 0 ? {} : { returned: sumOf(returns) }),
  };
}
