import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { amount, amountOrZero, identifier, text } from '../../kernel/wire/schemas';
import { idIn } from '../cards/routes';
import type { CardServices } from '../services';
import { issueAdmission, REASONS } from './capability';
import { quoteIssue, quoteTopup } from './quote';
import { cardQuoteSchema, offerView } from './view';

const tag = 'Cards';
const capability = 'card_issuing';

const funding = {
  accountId: identifier('acc_01jz0000000000000000000000'),
  amount: amount(),
  allocation: amountOrZero().describe(
    'The share of the amount that is set aside as the buffer, "0" to "0.5". The buffer is rounded down to the minor unit.',
  ),
};

/**
 * Quotes of issuances and top-ups with a buffer, and the check whether a card can be issued (`interface.md 4.1`,
 * Cards).
 */
export function cardQuoteRoutes(services: CardServices): Route[] {
  return [capabilityRoute(services), issueQuoteRoute(services), topupQuoteRoute(services)];
}

function capabilityRoute({ database }: CardServices): Route {
  return route({
    method: 'GET',
    path: '/v2/cards/issue/capability',
    tag,
    capability,
    summary: 'Check whether a card with a buffer can be issued',
    description:
      '`client`: you are admitted to the BIN. `source`: the account is open and of the BIN’s currency, and its user is active. ' +
      '`programme`: the BIN is open.',
    query: z.object({ accountId: identifier('acc_01jz0000000000000000000000'), bin: text(20) }),
    problems: ['not_found'],
    response: z
      .object({
        admitted: z.boolean(),
        client: z.boolean(),
        source: z.boolean().describe('True when the account can pay for the card.'),
        programme: z.boolean(),
        reasons: z.array(z.enum(REASONS)),
      })
      .meta({ id: 'IssueCapability' }),
    read: ({ caller, query }) => issueAdmission(database, caller.reach, query),
  });
}

function issueQuoteRoute(services: CardServices): Route {
  return route({
    method: 'POST',
    path: '/v2/cards/issue/quote',
    scope: 'cards',
    tag,
    capability,
    summary: 'Quote a card with a buffer',
    description:
      'Refused when the card could not be issued now. The buffer covers forced settlements only. The price is valid for five minutes; `POST /v2/cards` accepts it.',
    body: z.strictObject({
      userId: identifier('usr_01jz0000000000000000000000'),
      cardholderId: identifier('chd_01jz0000000000000000000000'),
      bin: text(20),
      ...funding,
    }),
    response: cardQuoteSchema,
    status: 201,
    problems: ['user_blocked', 'cardholder_not_approved', 'bin_closed', 'account_closed', 'limit_exceeded'],
    write: async (tx, { body, caller }) => offerView(await quoteIssue(services, tx, body, caller.reach)),
  });
}

function topupQuoteRoute(services: CardServices): Route {
  return route({
    method: 'POST',
    path: '/v2/cards/{id}/topup/quote',
    scope: 'cards',
    tag,
    capability,
    summary: 'Quote a top-up of a card with a buffer',
    description:
      'A frozen card can be funded too. `POST /v2/cards/{id}/topup` accepts the quote within five minutes.',
    body: z.strictObject(funding),
    response: cardQuoteSchema,
    status: 201,
    problems: ['user_blocked', 'card_not_active', 'card_closed', 'account_closed'],
    write: async (tx, request) =>
      offerView(await quoteTopup(services, tx, idIn(request), request.body, request.caller.reach)),
  });
}
