import { sumOf } from '../../kernel/money/money';
import { PartyRefused } from '../../process/party-errors';
import type { CheckoutParty, CheckoutState, EarlierCheckout } from './port';
import type { CheckoutWord } from './word';

/** The member that the engine before src/transfers/engine uses, from the word of the one that stays. */
export function earlierCheckout({ ask }: Pick<CheckoutParty, 'ask'>): EarlierCheckout {
  return {
    async getSession(sessionId) {
      const word = await ask(sessionId);
      if (word === 'unknown_to_party') throw new PartyRefused('not_found');
      return stateOf(sessionId, word);
    },
  };
}

function stateOf(sessionId: string, word: CheckoutWord): CheckoutState {
  const { payments, risk, failureCode, refunds, disputes } = word;
  const made = payments.filter(({ status }) => status !== 'failed');
  const [first] = made;
  const paid = first && {
    amount: sumOf(made.filter(({ currency }) => currency === first.currency)),
    currency: first.currency,
  };
  return {
    sessionId,
    status: statusOf(word),
    ...(paid ? { paid } : {}),
    risk,
    ...(failureCode === undefined ? {} : { failureCode }),
    refunds: refunds.map(({ id, amount, status }) => ({ id, amount, status })),
    disputes: disputes.map(({ id, amount, status }) => ({ id, amount, status })),
  };
}

function statusOf({ page, payments }: CheckoutWord): CheckoutState['status'] {
  const made = payments.filter(({ status }) => status !== 'failed');
  if (made.length > 0) return made.every(({ status }) => status === 'settled') ? 'settled' : 'paid';
  return page === 'paid' ? 'failed' : page;
}
