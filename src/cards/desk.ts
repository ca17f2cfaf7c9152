import { z } from 'zod';
import { movementColumns, pageOfMovements, placeOfMovement } from '../accounts/desk';
import { type StatementDownloadServices, statementDownload } from '../accounts/statements/download';
import { type Movement, movementsOf } from '../kernel/ledger/movements';
import { periodQuery } from '../kernel/wire/pages';
import { identifier } from '../kernel/wire/schemas';
import { type Desk, defineDesk } from '../process/desk/desk';
import { keepingHours, series } from '../process/desk/figure';
import { finder, finderById } from '../process/desk/finder';
import { columnsOf, type List, list } from '../process/desk/list';
import { type RecordOfDesk, record } from '../process/desk/record';
import type { DeskDeps, Teller } from '../process/desk/story';
import { foundCards, listCards } from './cards/operations';
import type { Card } from './cards/record';
import { countByHour } from './events/history';
import {
  cardOperationStory,
  cardStory,
  cardTransactionStory,
  challengeStory,
  processorMessageStory,
  tokenizationStory,
} from './stories';

/** The desk of cards: their balances, entries and stories. */
export function cardDesk(deps: DeskDeps & StatementDownloadServices): Desk {
  const told = (kind: RecordOfDesk['kind'], title: string, story: Teller): RecordOfDesk =>
    record({ kind, title, story: (id, limit) => story(deps, id, limit) });
  return defineDesk({
    name: 'card',
    title: 'Cards',
    lists: [cardsList(deps), movementsList(deps)],
    records: [
      { ...told('card', 'A card', cardStory), download: statementDownload(deps, 'card', 'view') },
      told('cardTransaction', 'An event of a card', cardTransactionStory),
      told('cardOperation', 'An operation of a buffered card', cardOperationStory),
      told('tokenization', 'A card in a wallet of a phone', tokenizationStory),
      told('challenge', 'A challenge of 3-D Secure', challengeStory),
      told('processorMessage', 'A message of the card processor, with its answer', processorMessageStory),
    ],
    figures: [
      series({
        name: 'card-authorizations',
        title: 'authorizations of cards, and declines by their reason',
        unit: 'authorizations',
        points: keepingHours(async (from, to) =>
          (await countByHour(deps.database, ['authorization', 'decline'], { from, to })).map(
            ({ at, type, declineReason, count }) => ({
              at,
              labels: { outcome: type === 'decline' ? `declined: ${declineReason}` : 'approved' },
              value: count,
            }),
          ),
        ),
      }),
    ],
    finds: [
      finderById(deps.database, { table: 'cards', kinds: ['card'], noun: 'card' }),
      finder({
        name: 'card-by-last-four',
        title: "a card's last four digits",
        pattern: /^\d{4}$/,
        find: (text, limit) => foundCards(deps.database, 'last4', text, limit),
      }),
      finder({
        name: 'card-by-processor-reference',
        title: 'the name of a card at the card processor',
        pattern: /^\S{3,200}$/,
        find: (text, limit) => foundCards(deps.database, 'processorReference', text, limit),
      }),
    ],
  });
}

const cards = columnsOf<Card>();
const id = (example: string, description: string) => identifier(example).optional().meta({ description });

const cardsList = ({ database }: DeskDeps): List =>
  list({
    name: 'cards',
    title: 'all cards, newest first',
    filters: z.object({
      client: id('cli_01jz0000000000000000000000', 'Id of the tenant.'),
      user: id('usr_01jz0000000000000000000000', 'Id of the user.'),
      account: id('acc_01jz0000000000000000000000', 'Id of the account that funds them.'),
    }),
    about: { client: ['tenant'], user: ['user'], account: ['account'] },
    columns: {
      id: cards.id('id', ({ id: card }) => card),
      client: cards.id('client', ({ tenantId }) => tenantId),
      user: cards.id('user', ({ userId }) => userId),
      account: cards.id('account', ({ accountId }) => accountId),
      bin: cards.text('bin', ({ bin }) => bin),
      last4: cards.text('last four', ({ last4 }) => last4),
      currency: cards.text('currency', ({ currency }) => currency),
      status: cards.status('status', ({ status }) => status),
      created: cards.time('created', ({ createdAt }) => createdAt),
    },
    rows: ({ filters: { client = null, user, account }, after, limit }) =>
      listCards(
        database,
        client,
        {
          ...(user === undefined ? {} : { userId: user }),
          ...(account === undefined ? {} : { accountId: account }),
        },
        { after: after?.id, rows: limit },
      ),
    place: ({ id: card, createdAt }) => ({ id: card, since: createdAt }),
  });

const movements = columnsOf<Movement>();

const movementsList = ({ database }: DeskDeps): List =>
  list({
    name: 'card-movements',
    title: 'the entries of a card with the balances after each, newest first',
    verb: 'movements',
    filters: z.object({
      card: id('card_01jz0000000000000000000000', 'Id of the card. Without it the list is empty.'),
      ...periodQuery,
    }),
    about: { card: ['card'] },
    columns: {
      ...movementColumns,
      spent: movements.money('spent', ({ balance, currency }) => ({ amount: balance.spent, currency })),
    },
    rows: async (page) =>
      page.filters.card === undefined ? [] : movementsOf(database, page.filters.card, pageOfMovements(page)),
    place: placeOfMovement,
  });
