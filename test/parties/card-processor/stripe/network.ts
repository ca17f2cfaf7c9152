import type { StripeAccount } from './account';
import type { Json } from './http-server';

/** The card network behind an account: it makes authorizations and transactions, and the account's events of them. */

const MERCHANT = {
  network_id: '1234567890',
  name: 'Rocket Rides',
  category: 'taxicabs_limousines',
  category_code: '4121',
  city: 'Vienna',
  country: 'AT',
};

export interface StripeDecides {
  approved: boolean;
  /** Default: as after our answer. */
  reason?: string;
}

/** Authorizations of one card. Amounts are in minor units of the currency. */
export function networkOf(account: StripeAccount, cardId: string, currency: 'usd' | 'eur' = 'usd') {
  const { nextId, seconds, listed, event, state } = account;

  function opened(given: Json = {}): Json {
    return {
      id: nextId('iauth'),
      object: 'issuing.authorization',
      amount: 0,
      currency,
      approved: false,
      authorization_method: 'online',
      card: { id: cardId, object: 'issuing.card', metadata: {} },
      created: seconds(),
      merchant_amount: 0,
      merchant_currency: currency,
      merchant_data: MERCHANT,
      pending_request: null,
      request_history: [],
      status: 'pending',
      verification_data: { three_d_secure: null },
      ...given,
    };
  }

  const hold = (units: number) => void (state.balance[currency] = (state.balance[currency] ?? 0) - units);

  return {
    opened,
    /** The question about an amount, or about more of it. The list of events lacks the question. */
    question(authorization: Json, amount: number): Json {
      const pending = { amount, currency, is_amount_controllable: false, merchant_amount: amount };
      authorization['pending_request'] = { ...pending, merchant_currency: currency };
      return event('issuing_authorization.request', authorization);
    },
    /** Stripe's decision. */
    decided(authorization: Json, amount: number, { approved, reason }: StripeDecides): Json {
      const isFirst = authorization['request_history'].length === 0;
      const former = { amount: authorization['amount'], request_history: authorization['request_history'] };
      authorization['pending_request'] = null;
      authorization['request_history'] = [
        ...former.request_history,
        {
          amount,
          currency,
          approved,
          reason: reason ?? (approved ? 'webhook_approved' : 'webhook_declined'),
          created: seconds(),
        },
      ];
      if (approved) {
        Object.assign(authorization, { approved: true, amount: former.amount + amount });
        hold(amount);
      } else if (isFirst) {
        Object.assign(authorization, { amount, status: 'closed' });
      }
      return isFirst
        ? listed('issuing_authorization.created', authorization)
        : listed('issuing_authorization.updated', authorization, former);
    },
    /** The merchant gives back a part of the hold, or all of it. */
    reversed(authorization: Json, amount: number): Json {
      const former: Json = { amount: authorization['amount'] };
      authorization['amount'] -= amount;
      if (authorization['amount'] === 0) {
        former['status'] = authorization['status'];
        authorization['status'] = 'reversed';
      }
      hold(-amount);
      return listed('issuing_authorization.updated', authorization, former);
    },
    /** The time for captures is over. The amount stays, for late captures. */
    expired(authorization: Json): Json {
      const former = { status: authorization['status'] };
      authorization['status'] = 'expired';
      hold(-authorization['amount']);
      return listed('issuing_authorization.updated', authorization, former);
    },
    /** A capture closes its authorization, and releases all that it holds. */
    captured(authorization: Json | null, amount: number): Json[] {
      const made: Json[] = [];
      if (authorization && authorization['status'] === 'pending') {
        hold(-authorization['amount']);
        const former = { status: 'pending' };
        authorization['status'] = 'closed';
        made.push(listed('issuing_authorization.updated', authorization, former));
      }
      hold(amount);
      const transaction = transactionOf('capture', -amount, authorization);
      return [...made, listed('issuing_transaction.created', transaction)];
    },
    refunded(authorization: Json | null, amount: number): Json {
      hold(-amount);
      return listed('issuing_transaction.created', transactionOf('refund', amount, authorization));
    },
  };

  function transactionOf(type: string, amount: number, authorization: Json | null): Json {
    return {
      id: nextId('ipi'),
      object: 'issuing.transaction',
      type,
      amount,
      currency,
      card: cardId,
      authorization: authorization?.['id'] ?? null,
      created: seconds(),
      merchant_amount: amount,
      merchant_currency: currency,
      merchant_data: MERCHANT,
    };
  }
}
