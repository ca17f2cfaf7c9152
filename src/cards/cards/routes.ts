import { z } from 'zod';
import { type ApiRequest, Reply, type Route, route } from '../../http/route';
import { notFound } from '../../kernel/errors';
import { isId } from '../../kernel/ids';
import { idPage, pageById } from '../../kernel/wire/id-pages';
import { idFilter, pageQuery, pageSchema } from '../../kernel/wire/pages';
import { currency, text } from '../../kernel/wire/schemas';
import { WALLETS } from '../../parties/card-processor/port';
import type { Services } from '../../services';
import { audited } from './audit';
import { requireCard } from './operations';
import { CARD_STATUSES } from './record';
import { revealCard } from './sensitive';
import { listCards } from './store';
import { requestTokenization, requireTokenization } from './tokenization';
import { cardSchema, cardViews, cardWithBalance } from './view';

const tag = 'Cards';
const NOT_USABLE = ['card_not_active', 'card_closed'];

export function cardRoutes(services: Services): Route[] {
  return [...listing(services), sensitiveRoute(services), tokenizeRoute(services)];
}

/**
 * The card id in the path, checked before any statement, because Postgres raises an error for some malformed ids.
 * @throws Problem 404
 */
export function idIn({ params }: Pick<ApiRequest, 'params'>): string {
  const id = params['id'] ?? '';
  if (!isId('card', id)) throw notFound('card');
  return id;
}

function listing(services: Services): Route[] {
  const { database } = services;
  return [
    route({
      method: 'GET',
      path: '/v1/cards',
      tag,
      summary: 'List cards',
      description: 'Lists your cards, newest first, each with its current balance.',
      query: z.object({
        ...pageQuery,
        userId: idFilter('usr_01h455vb4pex5vsknk084sn02q'),
        accountId: idFilter('acc_01h455vb4pex5vsknk084sn02q'),
        cardholderId: idFilter('chd_01h455vb4pex5vsknk084sn02q'),
        status: z.enum(CARD_STATUSES).optional(),
        bin: text(100).optional(),
        currency: currency().optional(),
      }),
      response: pageSchema(cardSchema),
      async read({ query, caller }) {
        const { page, limit, filter } = idPage(query, 'card');
        const cards = await listCards(database, caller.reach, filter, page);
        const shown = pageById(cards, limit, (card) => card);
        return { ...shown, data: await cardViews(database, shown.data) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/cards/{id}',
      tag,
      summary: 'Card by id',
      description:
        'Returns the card with its current balance. A card is frozen while `freezeReasons` holds any reason.',
      response: cardSchema,
      read: async (request) =>
        cardWithBalance(database, await requireCard(database, request.caller.reach, idIn(request))),
    }),
  ];
}

function sensitiveRoute(services: Services): Route {
  return route({
    method: 'GET',
    path: '/v1/cards/{id}/sensitive',
    scope: 'sensitive',
    tag,
    capability: 'card_issuing',
    summary: 'Reveal the card number and CVV',
    description:
      'Requests the card number and CVV from the card processor at each call. The product stores neither, and refuses admins.',
    response: z
      .object({
        cardNumber: z.string(),
        cvv: z.string(),
        expiryMonth: z.number().int(),
        expiryYear: z.number().int(),
      })
      .meta({ id: 'SensitiveCard' }),
    problems: ['forbidden', ...NOT_USABLE],
    async read(request) {
      const sensitive = await revealCard(services, request, request.params['id'] ?? '');
      return new Reply(200, sensitive, { 'cache-control': 'no-store' });
    },
  });
}

function tokenizeRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v1/cards/{id}/tokenize',
    scope: 'cards',
    tag,
    capability: 'card_issuing',
    summary: 'Start card tokenization',
    description:
      'The card processor adds the card to a phone’s wallet. The status is `pending` until the processor has answered.',
    body: z.strictObject({ wallet: z.enum(WALLETS) }),
    response: z
      .object({ id: z.string(), status: z.enum(['pending', 'completed', 'failed']) })
      .meta({ id: 'Tokenization' }),
    status: 202,
    problems: NOT_USABLE,
    settling: {
      read: async (_request, id) => tokenizationView(await requireTokenization(services.database, id)),
      settled: (tokenization: { status: string }) => tokenization.status !== 'pending',
    },
    async write(tx, request) {
      const id = idIn(request);
      const ask = () => requestTokenization(services, tx, request.caller, id, request.body.wallet);
      return tokenizationView(await audited(tx, request, 'cards.tokenize', id, ask));
    },
  });
}

const tokenizationView = ({ id, status }: { id: string; status: string }) => ({ id, status });
