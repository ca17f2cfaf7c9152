import { z } from 'zod';
import { readBalances } from '../kernel/ledger/accounts';
import { type AccountBalanceLine, trialBalanceByAccount } from '../kernel/ledger/check';
import { type Movement, movementsOf } from '../kernel/ledger/movements';
import { Decimal, ZERO } from '../kernel/money/money';
import { periodQuery } from '../kernel/wire/pages';
import { currency, identifier, moment } from '../kernel/wire/schemas';
import { type Desk, defineDesk } from '../process/desk/desk';
import { finderById } from '../process/desk/finder';
import { columnsOf, type List, list, type PageOfList } from '../process/desk/list';
import { record } from '../process/desk/record';
import type { Services } from '../services';
import { listAccounts } from './accounts/operations';
import type { Account } from './accounts/record';
import { type AccountDecisionServices, accountDecisions } from './desk-decisions';
import { moneyFigures } from './money-figures';
import { type StatementDownloadServices, statementDownload } from './statements/download';
import { accountStory, accountTransactionStory, exchangeStory, type StoryServices } from './stories';

export type AccountDeskServices = StoryServices &
  AccountDecisionServices &
  StatementDownloadServices &
  Pick<Services, 'now'>;

/** The desk of accounts: their balances and entries, and corrections by hand. */
export function accountDesk(services: AccountDeskServices): Desk {
  return defineDesk({
    name: 'account',
    title: 'Accounts of tenants and their users',
    lists: [accountsList(services), movementsList(services), trialBalanceList(services)],
    records: [
      record({
        kind: 'account',
        title: 'An account',
        story: (id, limit) => accountStory(services, id, limit),
        download: statementDownload(services, 'account', 'view'),
      }),
      record({
        kind: 'accountTransaction',
        title: 'A movement of an account, as its client sees it',
        story: (id, limit) => accountTransactionStory(services, id, limit),
      }),
      record({
        kind: 'accountExchange',
        title: 'An exchange between two accounts',
        story: (id, limit) => exchangeStory(services, id, limit),
      }),
    ],
    decisions: accountDecisions(services),
    figures: moneyFigures(services.database),
    finds: [finderById(services.database, { table: 'accounts', kinds: ['account'], noun: 'account' })],
  });
}

type AccountRow = Account & { available: Decimal; pending: Decimal };
const accounts = columnsOf<AccountRow>();

const accountsList = ({ database }: AccountDeskServices): List =>
  list({
    name: 'accounts',
    title: 'all accounts with their balances, newest first',
    filters: z.object({
      client: z.string().max(200).optional().meta({ description: 'Id of the tenant.' }),
      user: z.string().max(200).optional().meta({ description: 'Id of the user who owns them.' }),
    }),
    about: { client: ['tenant'], user: ['user'] },
    columns: {
      id: accounts.id('id', ({ id }) => id),
      client: accounts.id('client', ({ tenantId }) => tenantId),
      user: accounts.id('user', ({ userId }) => userId),
      status: accounts.status('status', ({ status }) => status),
      available: accounts.money('available', ({ available: amount, currency: code }) => ({
        amount,
        currency: code,
      })),
      pending: accounts.money('pending', ({ pending: amount, currency: code }) => ({
        amount,
        currency: code,
      })),
      created: accounts.time('created', ({ createdAt }) => createdAt),
    },
    async rows({ filters: { client = null, user: userId }, after, limit }) {
      const page = { after: after?.id, rows: limit };
      const found = await listAccounts(database, client, userId === undefined ? {} : { userId }, page);
      const ids = found.map(({ id }) => id);
      const balances = await readBalances(database, ids);
      return found.map((account) => {
        const { available = ZERO, pending = ZERO } = balances.get(account.id) ?? {};
        return { ...account, available, pending };
      });
    },
    place: ({ id, createdAt }) => ({ id, since: createdAt }),
  });

const movements = columnsOf<Movement>();

/** The columns of entries of accounts and cards. */
export const movementColumns = {
  at: movements.time('at', ({ at }) => at),
  id: movements.id('id', ({ id }) => id),
  type: movements.text('type', ({ type, subtype }) => (subtype === null ? type : `${type}/${subtype}`)),
  reference: movements.id('reference', ({ referenceId }) => referenceId),
  available: movements.money('available', ({ available, currency: code }) => ({
    amount: available,
    currency: code,
  })),
  pending: movements.money('pending', ({ pending, currency: code }) => ({ amount: pending, currency: code })),
  balance: movements.money('balance', ({ balance, currency: code }) => ({
    amount: balance.available,
    currency: code,
  })),
  held: movements.money('held', ({ balance, currency: code }) => ({
    amount: balance.pending,
    currency: code,
  })),
};

/** The entry's place in its account. */
export const placeOfMovement = ({ at, number }: Movement) => ({ since: at, id: number });

type Period = z.output<z.ZodObject<typeof periodQuery>>;

export const pageOfMovements = ({ filters: { from, to }, after, limit }: PageOfList<Period>) => ({
  from,
  to,
  limit,
  after: after && { at: after.since, number: after.id },
});

const movementsList = ({ database }: AccountDeskServices): List =>
  list({
    name: 'account-movements',
    title:
      'the entries of an account or a virtual IBAN, holds too, with the balances after each; newest first',
    verb: 'movements',
    filters: z.object({
      account: identifier('acc_01jz0000000000000000000000')
        .optional()
        .meta({ description: 'Id of the account. Without it the list is empty.' }),
      ...periodQuery,
    }),
    about: { account: ['account', 'virtualIban'] },
    columns: movementColumns,
    rows: async (page) =>
      page.filters.account === undefined
        ? []
        : movementsOf(database, page.filters.account, pageOfMovements(page)),
    place: placeOfMovement,
  });

const balances = columnsOf<AccountBalanceLine>();

/** The key by which lines sort. The lines have no time of their own, because each is of the same moment. */
const keyOf = ({ currency: code, owner, account }: AccountBalanceLine) => `${code}:${owner}:${account}`;
const AT_ONCE = new Date(0);

const trialBalanceList = ({ database, now }: AccountDeskServices): List =>
  list({
    name: 'trial-balance-by-account',
    title: 'balances of each kind of account at a moment; they sum to zero in each currency',
    verb: 'trial-balance',
    filters: z.object({
      at: moment().optional().meta({ description: 'The moment. Now without it.' }),
      currency: currency().optional(),
    }),
    columns: {
      currency: balances.text('currency', ({ currency: code }) => code),
      owner: balances.text('owner', ({ owner }) => owner),
      account: balances.text('account', ({ account }) => account),
      available: balances.money('available', (each) => amountOf(each, each.available)),
      pending: balances.money('pending', (each) => amountOf(each, each.pending)),
    },
    async rows({ filters: { at = now(), currency: wanted }, after, limit }) {
      const lines = await trialBalanceByAccount(database, at);
      const rest = lines
        .filter((each) => wanted === undefined || each.currency === wanted)
        .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
        .filter((each) => after === undefined || keyOf(each) > after.id);
      return rest.slice(0, limit);
    },
    place: (each) => ({ since: AT_ONCE, id: keyOf(each) }),
  });

const amountOf = ({ currency: code }: AccountBalanceLine, text: string) => ({
  amount: new Decimal(text),
  currency: code,
});
