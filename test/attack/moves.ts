import { DESTINATION } from '../transfers/iban/support';
import type { Kind, Records } from './records';

/** One call of an operation that moves money. */
export interface Move {
  what: string;
  /** Name in the OpenAPI document. */
  operation: string;
  by: 'client' | 'admin';
  path(records: Records): Promise<string>;
  /** The body. It is the same each time, except for values that work only once: see `quote`. */
  body(records: Records): Promise<Record<string, unknown>>;
  status: number;
  /** The money that the move takes. A move without one can be made any number of times. */
  purse?: 'account' | 'card' | 'virtualIban' | 'euroAccount';
  /** Set when the move accepts a quote. Each separate call then needs a new quote. */
  quote?: (records: Records) => Promise<{ path: string; body: object }>;
}

/** Returns the operation's path with its ids filled in order. */
const at =
  (operation: string, ...kinds: Kind[]) =>
  async ({ id }: Records): Promise<string> => {
    const ids = await Promise.all(kinds.map(id));
    return operation.slice('POST '.length).replaceAll(/\{\w+\}/g, () => ids.shift() ?? '');
  };

const move = (
  what: string,
  operation: string,
  kinds: Kind[],
  given: Partial<Move> & Pick<Move, 'body'>,
): Move => ({
  what,
  operation,
  by: 'client',
  status: 201,
  path: at(operation, ...kinds),
  ...given,
});

const BANKING = '/v1/corporate-banking/{companyId}';
const externalCard = { amount: '10.00', paymentMethodToken: 'tok_visa' };
const destination = { ...DESTINATION };

/** Returns the quote of an account. */
const quotedAt = (name: 'deposit' | 'payout', method: string) => async (records: Records) => ({
  path: await at(`POST /v2/accounts/{accountId}/${name}-quote`, 'account')(records),
  body: { method, amount: '10.00' },
});

const sandbox = (what: string, given: Record<string, unknown>, more: Partial<Move> = {}): Move =>
  move(what, 'POST /sandbox/transactions', [], {
    body: async ({ id }) => ({
      cardId: await id('card'),
      amount: '10.00',
      ...given,
      ...('referenceId' in given ? { referenceId: await id('reference') } : {}),
    }),
    ...more,
  });

/** Every way to move money through the API, and results that move none. */
export const MOVES: Move[] = [
  move("an operator's credit", 'POST /v1/accounts/admin-deposit', [], {
    by: 'admin',
    body: async ({ id }) => ({ accountId: await id('account'), amount: '10.00', reason: 'test' }),
  }),
  move("an operator's write-off", 'POST /v1/accounts/admin-withdrawal', [], {
    by: 'admin',
    purse: 'account',
    body: async ({ id }) => ({ accountId: await id('account'), amount: '10.00', reason: 'test' }),
  }),
  move('a credit and its transfer', 'POST /v1/accounts/offramp-deposit', [], {
    by: 'admin',
    body: async ({ id }) => ({ accountId: await id('account'), amount: '10.00', reference: unique() }),
  }),
  move('a transfer', 'POST /v1/users/transfer', [], {
    purse: 'account',
    body: async ({ id }) => ({
      fromAccountId: await id('account'),
      toAccountId: await id('masterAccount'),
      amount: '10.00',
    }),
  }),
  move('a top-up from a payment card', 'POST /v2/accounts/{id}/topup/card', ['account'], {
    status: 202,
    body: async () => externalCard,
  }),
  move('a withdrawal to a payment card', 'POST /v2/accounts/{id}/withdraw/card', ['account'], {
    status: 202,
    purse: 'account',
    body: async () => externalCard,
  }),
  move('a card', 'POST /v1/cards', [], {
    purse: 'account',
    body: async ({ id }) => ({
      userId: await id('user'),
      accountId: await id('account'),
      cardholderId: await id('cardholder'),
      amount: '10.00',
    }),
  }),
  move('a top-up of a card', 'POST /v1/cards/{id}/topup', ['card'], {
    purse: 'account',
    body: async () => ({ amount: '10.00' }),
  }),
  move('a withdrawal from a card', 'POST /v1/cards/{id}/withdraw', ['card'], {
    purse: 'card',
    body: async () => ({ amount: '10.00' }),
  }),
  move('a card with a buffer', 'POST /v2/cards', [], {
    status: 202,
    purse: 'account',
    quote: async ({ id }) => ({
      path: '/v2/cards/issue/quote',
      body: {
        userId: await id('user'),
        cardholderId: await id('cardholder'),
        bin: await id('bin'),
        accountId: await id('account'),
        amount: '10.00',
        allocation: '0.25',
      },
    }),
    body: async () => ({}),
  }),
  move('a funding of a buffered card', 'POST /v2/cards/{id}/topup', ['card'], {
    status: 202,
    purse: 'account',
    quote: async (records) => ({
      path: await at('POST /v2/cards/{id}/topup/quote', 'card')(records),
      body: { accountId: await records.id('account'), amount: '10.00', allocation: '0.25' },
    }),
    body: async () => ({}),
  }),
  // The money leaves when the operation is executed.
  move('a withdrawal from a buffered card', 'POST /v2/cards/{id}/withdraw', ['card'], {
    status: 202,
    body: async () => ({ amount: '10.00' }),
  }),
  move('a deposit', 'POST /v2/accounts/{accountId}/deposits', ['account'], {
    quote: quotedAt('deposit', 'card'),
    body: async () => ({ returnUrl: 'https://shop.example/back' }),
  }),
  move('an exchange order', 'POST /v1/exchange/orders', [], {
    purse: 'account',
    body: async ({ id }) => ({
      fromAccountId: await id('account'),
      toAccountId: await id('euroAccount'),
      amount: '10.00',
    }),
  }),
  move('a check of the settlement', 'POST /v1/exchange/settlement/check-increase', [], {
    by: 'admin',
    status: 200,
    body: async () => ({ currency: 'EUR' }),
  }),
  move('a payout', 'POST /v2/accounts/{accountId}/payouts', ['account'], {
    purse: 'account',
    quote: quotedAt('payout', 'sepa'),
    body: async () => ({ destination }),
  }),
  move('an exchange', 'POST /v2/accounts/{accountId}/exchanges', ['account'], {
    purse: 'account',
    quote: async (records) => ({
      path: await at('POST /v2/accounts/{accountId}/exchange-quote', 'account')(records),
      body: { toAccountId: await records.id('euroAccount'), amount: '10.00' },
    }),
    body: async () => ({}),
  }),
  move('a payout from a virtual IBAN', `POST ${BANKING}/payouts`, ['company'], {
    purse: 'virtualIban',
    quote: async (records) => ({
      path: await at(`POST ${BANKING}/quote`, 'company')(records),
      body: { amount: '10.00', destination },
    }),
    body: async () => ({}),
  }),
  move('a transfer from a virtual IBAN', `POST ${BANKING}/transfers`, ['company'], {
    purse: 'virtualIban',
    body: async () => ({ amount: '10.00' }),
  }),
  move('a withdrawal from the exchange', 'POST /v1/exchange/withdrawals', [], {
    purse: 'euroAccount',
    body: async ({ id }) => ({
      accountId: await id('euroAccount'),
      destinationId: await id('destination'),
      amount: '10.00',
    }),
  }),
  sandbox('an authorization', { type: 'authorization' }, { purse: 'card' }),
  sandbox('an authorization that is declined', { type: 'authorization', amount: '9000.00' }),
  sandbox('a part of a settlement', { type: 'settle', amount: '0.01', referenceId: '' }),
  sandbox('a force post', { type: 'settle' }),
  sandbox('a refund', { type: 'refund' }),
  sandbox('a cancel', { type: 'cancel', amount: '0.01', referenceId: '' }),
  sandbox('a cancel that is refused', { type: 'cancel', amount: '99.00', referenceId: '' }, { status: 409 }),
  move('a top-up of a card that is refused', 'POST /v1/cards/{id}/topup', ['card'], {
    status: 409,
    body: async () => ({ amount: '9000.00' }),
  }),
  move('a user', 'POST /v1/users', [], { body: async () => ({ meta: { firstName: 'Ada' } }) }),
];

let references = 0;
const unique = () => `reference-${(references += 1)}`;
