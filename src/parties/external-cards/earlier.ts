import { sumOf, ZERO } from '../../kernel/money/money';
import { PartyRefused } from '../../process/party-errors';
import type { CardOrder, CardOrderAnswer, CardOrderState, EarlierExternalCards, ExternalCards } from './port';

/** The members that the engine before src/transfers/engine uses, from the words of those that stay. */
export function earlierExternalCards({
  order,
  ask,
}: Pick<ExternalCards, 'order' | 'ask'>): EarlierExternalCards {
  async function ordered(kind: 'topup' | 'withdrawal', given: CardOrder): Promise<CardOrderState> {
    try {
      return stateOf(await order(kind, given));
    } catch (error) {
      if (!(error instanceof PartyRefused)) throw error;
      return { status: 'failed', failureCode: error.code, returned: ZERO };
    }
  }

  return {
    charge: (given) => ordered('topup', given),
    push: (given) => ordered('withdrawal', given),
    async get(key) {
      const answer = await ask(key);
      return answer === 'unknown_to_party' ? answer : stateOf(answer);
    },
  };
}

function stateOf({ word: { status, failureCode, returns }, actionUrl }: CardOrderAnswer): CardOrderState {
  return {
    status,
    ...(actionUrl === undefined ? {} : { actionUrl }),
    ...(failureCode === undefined ? {} : { failureCode }),
    returned: sumOf(returns),
  };
}
