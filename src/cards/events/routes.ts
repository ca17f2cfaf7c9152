import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { periodQuery } from '../../kernel/wire/pages';
import { amount, instant } from '../../kernel/wire/schemas';
import { audited } from '../cards/audit';
import { idIn } from '../cards/routes';
import { cardSchema, cardWithBalance } from '../cards/view';
import type { CardServices } from '../services';
import { readDeclineRate } from './decline-rate';
import { closeCard, freezeCard, fundCard } from './operations';
import { cardTransactionSchema, cardTransactionView } from './view';

const tag = 'Cards';
const NOT_USABLE = ['card_not_active', 'card_closed'];

/** Routes that change a card or read its decline rate (`interface.md 4.1`, Cards). */
export function cardEventRoutes(services: CardServices): Route[] {
  return [declineRateRoute(services), closing(services), ...freezing(services), ...funding(services)];
}

function declineRateRoute(services: CardServices): Route {
  const { database } = services;
  return route({
    method: 'GET',
    path: '/v1/cards/{id}/decline-rate',
    tag,
    summary: 'Card decline rate',
    description:
      'Returns declines as a share of all requested authorizations, by default of the last 30 days.',
    query: z.object(periodQuery),
    response: z
      .object({
        cardId: z.string(),
        from: instant(),
        to: instant(),
        authorizations: z.number().int(),
        declines: z.number().int(),
        rate: z.string().meta({ examples: ['0.0625'] }),
      })
      .meta({ id: 'DeclineRate' }),
    read: (request) =>
      readDeclineRate(database, request.caller.reach, idIn(request), request.query, services.now()),
  });
}

function closing(services: CardServices): Route {
  return route({
    method: 'DELETE',
    path: '/v1/cards/{id}',
    scope: 'cards',
    tag,
    summary: 'Close a card',
    description: 'Closes the card at once. The balance of the card returns to its account.',
    response: cardSchema,
    problems: ['card_not_active'],
    async write(tx, request) {
      const id = idIn(request);
      const close = () => closeCard(services, tx, id, request);
      return cardWithBalance(tx, await audited(tx, request, 'cards.close', id, close));
    },
  });
}

function freezing(services: CardServices): Route[] {
  const turn = (type: 'freeze' | 'unfreeze', summary: string) =>
    route({
      method: 'POST',
      path: `/v1/cards/{id}/${type}`,
      scope: 'cards',
      tag,
      summary,
      description: 'Adds or removes the reason `manual`. A card stays frozen while it has any reason.',
      response: cardSchema,
      problems: NOT_USABLE,
      async write(tx, request) {
        const id = idIn(request);
        const freeze = () => freezeCard(services, tx, type, id, request);
        return cardWithBalance(tx, await audited(tx, request, `cards.${type}`, id, freeze));
      },
    });
  return [turn('freeze', 'Freeze'), turn('unfreeze', 'Unfreeze')];
}

function funding(services: CardServices): Route[] {
  const turn = (type: 'topup' | 'withdraw', summary: string, description: string, problems: string[]) =>
    route({
      method: 'POST',
      path: `/v1/cards/{id}/${type}`,
      scope: 'cards',
      tag,
      summary,
      description,
      body: z.strictObject({ amount: amount() }),
      response: cardTransactionSchema,
      status: 201,
      problems: [...NOT_USABLE, ...problems],
      async write(tx, request) {
        const id = idIn(request);
        const fund = () => fundCard(services, tx, type, id, request.body.amount, request);
        return cardTransactionView(await audited(tx, request, `cards.${type}`, id, fund));
      },
    });
  return [
    turn('topup', 'Top up a card', 'Moves money from the account to the card at once.', [
      'insufficient_funds',
      'user_blocked',
    ]),
    turn('withdraw', 'Withdraw from a card', 'Moves money from the card to the account at once.', [
      'insufficient_funds',
    ]),
  ];
}
