import { type ApiRequest, type Route, route } from '../../../http/route';
import { auditAdmin } from '../../../kernel/audit/audit';
import type { Sql, Tx } from '../../../kernel/db/database';
import { assertAsShown } from '../../../kernel/wire/shown-fields';
import { idIn } from '../../cards/routes';
import type { CardServices } from '../../services';
import {
  type ChangedLimits,
  readCardLimits,
  readUserLimits,
  setCardLimits,
  setUserLimits,
} from './operations';
import {
  auditedLimits,
  cardLimitsBody,
  cardLimitsSchema,
  cardLimitsView,
  givenLimits,
  SHOWN_OF_CARD,
  SHOWN_OF_USER,
  userLimitsBody,
  userLimitsSchema,
  userLimitsView,
} from './view';

const RULES =
  'An authorization that breaks a limit is a `decline`. The reason is `limit_exceeded`, or `invalid_merchant` for the ' +
  "merchant's category or country. A payment on the internet without its challenge of 3-D Secure is declined for " +
  "`authentication_required`. The strictest of the programme's, the card's and the user's limits applies. Spending is the " +
  'authorized amount less its releases, on the UTC day of the authorization, in the currency of the card. Forced ' +
  'authorizations count and are never declined. Refunds do not reduce spending.';
const REPLACES =
  ' PUT replaces all of the limits and needs the `version` of GET. The read-only fields of GET may be sent back unchanged. ';
const OF_USER = " A user's limits apply to the sum over all of the user's cards in a currency.";

/** Routes for the limits of cards and users (decisions part 4, Cards). */
export function limitsRoutes(services: CardServices): Route[] {
  return [...ofCards(services), ...ofUsers(services)];
}

function ofCards(services: CardServices): Route[] {
  const path = '/v2/cards/{id}/limits';
  const common = { path, tag: 'Cards', response: cardLimitsSchema };
  const show = async (sql: Sql, request: Pick<ApiRequest, 'caller' | 'params'>) =>
    cardLimitsView(await readCardLimits(services, sql, request.caller.reach, idIn(request)));
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Limits of a card',
      description: RULES,
      read: (request) => show(services.database, request),
    }),
    route({
      ...common,
      method: 'PUT',
      scope: 'cards',
      summary: 'Set the limits of a card',
      description: RULES + REPLACES,
      body: cardLimitsBody,
      problems: ['version_conflict'],
      async write(tx, request) {
        const { caller, body } = request;
        const changed = await setCardLimits(services, tx, caller.reach, idIn(request), givenLimits(body));
        const after = await show(tx, request);
        assertAsShown(body, after, SHOWN_OF_CARD);
        await auditChange(tx, request, 'cards.limits', changed);
        return after;
      },
    }),
  ];
}

function ofUsers(services: CardServices): Route[] {
  const path = '/v1/users/{id}/limits';
  const common = { path, tag: 'Users', response: userLimitsSchema };
  const show = async (sql: Sql, { caller, params }: Pick<ApiRequest, 'caller' | 'params'>) =>
    userLimitsView(await readUserLimits(sql, caller.reach, params['id'] ?? ''));
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Limits of a user',
      description: RULES + OF_USER,
      read: (request) => show(services.database, request),
    }),
    route({
      ...common,
      method: 'PUT',
      scope: 'cards',
      permission: 'money',
      summary: 'Set the limits of a user',
      description: RULES + OF_USER + REPLACES,
      body: userLimitsBody,
      problems: ['version_conflict'],
      async write(tx, request) {
        const { caller, params, body } = request;
        const id = params['id'] ?? '';
        const changed = await setUserLimits(services, tx, caller.reach, id, givenLimits(body));
        const after = await show(tx, request);
        assertAsShown(body, after, SHOWN_OF_USER);
        await auditChange(tx, request, 'users.limits', changed);
        return after;
      },
    }),
  ];
}

const auditChange = (
  tx: Tx,
  { caller, requestId }: Pick<ApiRequest, 'caller' | 'requestId'>,
  action: string,
  { subject: { id: subject, tenantId }, before, after }: ChangedLimits,
) =>
  auditAdmin(tx, {
    caller,
    requestId,
    action,
    subject,
    tenantId,
    before: auditedLimits(before),
    after: auditedLimits(after),
  });
