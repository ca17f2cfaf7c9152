import { type OrderBook, orderBook } from '../../sandbox/orders/book';
import { begin } from './actions';
import { type AskedSession, asked, NEW_SESSION, type Session, type SessionState, state } from './record';
import { scenarioOf } from './scenarios';
import { momentsOf, type SessionReport, statusAt, wordAt } from './state';

/** The checkout's book. The answer to an order shows the session as it was made, before a payment that it plans. */
export const sessionBook = (publicUrl: () => string): OrderBook<AskedSession, SessionState, SessionReport> =>
  orderBook({
    party: 'checkout',
    kind: 'session',
    asked,
    state,
    ref: 'id',
    faultsOf({ amount }) {
      const { refusal: orderRefusal, unreachableSeconds, losesFirstAnswer } = scenarioOf(amount);
      return { orderRefusal, unreachableSeconds, losesFirstAnswer };
    },
    accept: (_, session: Session, at) => begin(session, at),
    // A new session sends no callback, because the answer reports it. A session that ends without a payer sends one.
    momentsNow(session: Session, at, isNew) {
      if (!isNew) return [{ at }];
      return [{ at, quiet: true }, ...(statusAt(session, at) === 'open' ? [] : [{ at }])];
    },
    momentsOf: (session: Session, at) => momentsOf(session, at),
    wordAt: (session: Session, version, at) =>
      wordAt(version === 1 ? { ...session, ...NEW_SESSION } : session, version, at),
    answerOf: ({ id, page }, word) => ({
      sessionId: id,
      redirectUrl: `${publicUrl()}/pages/${page}`,
      state: word,
    }),
  });
