import { z } from 'zod';
import { type ApiRequest, Reply, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit';
import { notFound } from '../../kernel/errors';
import { isId } from '../../kernel/ids';
import { afterId } from '../../kernel/wire/id-pages';
import { pageOf, pageQuery, pageSchema, periodQuery } from '../../kernel/wire/pages';
import { amount, identifier, instant, text } from '../../kernel/wire/schemas';
import { WALLETS } from '../../parties/card-processor/port';
import { cardTransactionSchema } from '../events/schemas';
import { showCardTransaction } from '../events/view';
import type { CardServices } from '../services';
import { audited } from './audit';
import { readDeclineRate } from './decline-rate';
import { requestCard } from './issue';
import { closeCard, freezeCard, fundCard, requireCard } from './operations';
import { revealCard } from './sensitive';
import { listCards } from './store';
import { requestTokenization, requireTokenization } from './tokenization';
import { CARD_STATUSES, cardSchema, showCard, showCards, showOneCard } from './view';

const tag = 'Cards';
const NOT_USABLE = ['card_not_active', 'card_closed'];

export function cardRoutes(services: CardServices): Route[] {
  return [
    ...listing(services),
    ...issuing(services),
    ...secrets(services),
    ...freezing(services),
    ...funding(services),
  ];
}

/** What is no id at all is asked of nobody: Postgres would refuse some of it with an error. @throws Problem 404 */
function idIn({ params }: Pick<ApiRequest, 'params'>): string {
  const id = params['id'] ?? '';
  if (!isId('card', id)) throw notFound('card');
  return id;
}

function listing(services: CardServices): Route[] {
  const { database } = services;
  return [
    route({
      method: 'GET',
      path: '/v1/cards',
      tag,
      summary: 'List cards',
      query: z.object({
        ...pageQuery,
        userId: text(100).optional(),
        accountId: text(100).optional(),
        cardholderId: text(100).optional(),
        status: z.enum(CARD_STATUSES).optional(),
        bin: text(100).optional(),
      }),
      response: pageSchema(cardSchema),
      async read({ query: { limit, cursor, ...filter }, caller }) {
        const after = afterId(cursor, 'card');
        const cards = await listCards(database, caller.reach, filter, { after, rows: limit + 1 });
        const page = pageOf(
          cards,
          limit,
          (card) => [card.id],
          (card) => card,
        );
        return { ...page, data: await showCards(database, page.data) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/cards/{id}',
      tag,
      summary: 'Card by id',
      response: cardSchema,
      read: async (request) =>
        showOneCard(database, await requireCard(database, request.caller.reach, idIn(request))),
    }),
    route({
      method: 'GET',
      path: '/v1/cards/{id}/decline-rate',
      tag,
      summary: 'Card decline rate',
      description:
        'Declines as a share of all authorizations that were asked for; the last 30 days by default.',
      query: z.object(periodQuery),
      response: z.object({
        cardId: z.string(),
        from: instant(),
        to: instant(),
        authorizations: z.number().int(),
        declines: z.number().int(),
        rate: z.string().meta({ examples: ['0.0625'] }),
      }),
      read: (request) =>
        readDeclineRate(database, request.caller.reach, idIn(request), request.query, services.now()),
    }),
  ];
}

function issuing(services: CardServices): Route[] {
  const { database } = services;
  return [
    route({
      method: 'POST',
      path: '/v1/cards',
      tag,
      summary: 'Issue a card',
      description:
        'The card is `pending` while the amount and the issue fee are held; then `active`, or `failed` and the hold is ' +
        'released. `Prefer: wait=N` waits for that.',
      body: z.strictObject({
        userId: identifier('usr_01jz0000000000000000000000'),
        accountId: identifier('acc_01jz0000000000000000000000'),
        cardholderId: identifier('chd_01jz0000000000000000000000'),
        label: text(100).optional(),
        amount: amount().optional(),
      }),
      response: cardSchema,
      status: 201,
      problems: [
        'user_blocked',
        'cardholder_not_approved',
        'bin_closed',
        'account_closed',
        'limit_exceeded',
        'insufficient_funds',
      ],
      settling: {
        read: async ({ caller }, id) => showOneCard(database, await requireCard(database, caller.reach, id)),
        settled: (card: { status: string }) => card.status !== 'pending',
      },
      async write(tx, request) {
        const card = await requestCard(services, tx, request.body, request);
        const { id: subject, tenantId, status } = card;
        await auditAdmin(tx, { ...request, action: 'cards.issue', subject, tenantId, after: { status } });
        return showCard(card);
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/cards/{id}',
      tag,
      summary: 'Close a card',
      description: 'Closed at once for its holder; what is left on it returns to its account.',
      response: cardSchema,
      problems: ['card_not_active'],
      async write(tx, request) {
        const id = idIn(request);
        const close = () => closeCard(services, tx, id, request);
        return showOneCard(tx, await audited(tx, request, 'cards.close', id, close));
      },
    }),
  ];
}

function secrets(services: CardServices): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/cards/{id}/sensitive',
      tag,
      summary: 'Sensitive card info',
      description: 'Asked of the card processor at each call, never stored, never for admins.',
      response: z.object({
        cardNumber: z.string(),
        cvv: z.string(),
        expiryMonth: z.number().int(),
        expiryYear: z.number().int(),
      }),
      problems: ['forbidden', ...NOT_USABLE],
      async read(request) {
        const sensitive = await revealCard(services, request, request.params['id'] ?? '');
        return new Reply(200, sensitive, { 'cache-control': 'no-store' });
      },
    }),
    route({
      method: 'POST',
      path: '/v1/cards/{id}/tokenize',
      tag,
      summary: 'Start card tokenization',
      body: z.strictObject({ wallet: z.enum(WALLETS) }),
      response: z.object({ id: z.string(), status: z.enum(['pending', 'completed', 'failed']) }),
      status: 202,
      problems: NOT_USABLE,
      settling: {
        read: async (_request, id) => showTokenization(await requireTokenization(services.database, id)),
        settled: (tokenization: { status: string }) => tokenization.status !== 'pending',
      },
      async write(tx, request) {
        const id = idIn(request);
        const ask = () => requestTokenization(services, tx, request.caller, id, request.body.wallet);
        return showTokenization(await audited(tx, request, 'cards.tokenize', id, ask));
      },
    }),
  ];
}

const showTokenization = ({ id, status }: { id: string; status: string }) => ({ id, status });

function freezing(services: CardServices): Route[] {
  const turn = (type: 'freeze' | 'unfreeze', summary: string) =>
    route({
      method: 'POST',
      path: `/v1/cards/{id}/${type}`,
      tag,
      summary,
      description: 'The reason `manual`: a card stays frozen while any reason stands.',
      response: cardSchema,
      problems: NOT_USABLE,
      async write(tx, request) {
        const id = idIn(request);
        const freeze = () => freezeCard(services, tx, type, id, request);
        return showOneCard(tx, await audited(tx, request, `cards.${type}`, id, freeze));
      },
    });
  return [turn('freeze', 'Freeze'), turn('unfreeze', 'Unfreeze')];
}

function funding(services: CardServices): Route[] {
  const turn = (type: 'topup' | 'withdraw', summary: string, problems: string[]) =>
    route({
      method: 'POST',
      path: `/v1/cards/{id}/${type}`,
      tag,
      summary,
      body: z.strictObject({ amount: amount() }),
      response: cardTransactionSchema,
      status: 201,
      problems: [...NOT_USABLE, ...problems],
      async write(tx, request) {
        const id = idIn(request);
        const fund = () => fundCard(services, tx, type, id, request.body.amount, request);
        return showCardTransaction(await audited(tx, request, `cards.${type}`, id, fund));
      },
    });
  return [
    turn('topup', 'Top up a card', ['insufficient_funds', 'user_blocked']),
    turn('withdraw', 'Withdraw from a card', ['insufficient_funds']),
  ];
}
