import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit';
import { isId } from '../../kernel/ids';
import { amount } from '../../kernel/wire/schemas';
import { asciiUrl, webUrl } from '../../kernel/wire/web-url';
import { callbackRoute } from '../../process/callbacks/routes';
import type { Services } from '../../services';
import { isCardNumber } from './card-number';
import { CALLBACK_PATH, payersWay, requestTransfer, requireTransfer } from './operations';
import { REDIRECT_PATH } from './redirect';
import type { ExternalCardKind } from './rules';
import { findTransaction } from './store';
import { type ExternalCardView, externalCardSchema, externalCardView } from './view';
import { lookAtTransfer } from './workflows';

const tag = 'Accounts';

const bodyIn = (mode: Services['mode']) =>
  z.strictObject({
    amount: amount(),
    paymentMethodToken: z
      .string()
      .refine((given) => !isCardNumber(given), 'must be a token of the card, never its number')
      .regex(/^[\w.:-]{1,255}$/, 'must be 1 to 255 letters, digits, underscores, dots, colons or dashes')
      .meta({ examples: ['tok_visa'] }),
    returnUrl: webUrl(mode === 'sandbox' ? 'loopback' : 'nowhere', 'https://example.com/back').optional(),
  });

const PATHS = { topup: 'topup', withdrawal: 'withdraw' } as const;
const SUMMARIES = {
  topup: 'Top up an account from an external payment card',
  withdrawal: 'Withdraw from an account to an external payment card',
};
const STATUS_SUMMARIES = { topup: 'Status of a card top-up', withdrawal: 'Status of a card withdrawal' };

/** Top-ups from, and withdrawals to, payment cards elsewhere (`interface.md 4.1`, Accounts; decisions part 4). */
export function externalCardRoutes(services: Services): Route[] {
  return (['topup', 'withdrawal'] as const).flatMap((kind) => [
    creation(services, kind),
    retrieval(services, kind),
  ]);
}

function creation(services: Services, kind: ExternalCardKind): Route {
  return route({
    method: 'POST',
    path: `/v2/accounts/{id}/${PATHS[kind]}/card`,
    tag,
    summary: SUMMARIES[kind],
    description:
      'By a token of the card. Where its bank asks the payer to confirm, the status is `requires_action` and the payer is ' +
      'sent to `redirectUrl`. `Prefer: wait=N` waits until it is no longer `pending`.',
    body: bodyIn(services.mode),
    response: externalCardSchema,
    status: 202,
    idempotency: 'required',
    problems: ['limit_exceeded', 'account_closed', 'user_blocked', 'insufficient_funds'],
    settling: {
      read: async ({ caller, params }, id) =>
        externalCardView(
          services,
          await requireTransfer(services.database, caller.reach, kind, params['id'] ?? '', id),
        ),
      settled: ({ status }: ExternalCardView) => status !== 'pending' && status !== 'processing',
    },
    async write(tx, request) {
      const record = await requestTransfer(
        services,
        tx,
        kind,
        request.params['id'] ?? '',
        request.body,
        request,
      );
      const { id: subject, tenantId, status } = record;
      const action = `accounts.${PATHS[kind]}-card`;
      await auditAdmin(tx, { ...request, action, subject, tenantId, after: { status } });
      return externalCardView(services, record);
    },
  });
}

function retrieval(services: Services, kind: ExternalCardKind): Route {
  return route({
    method: 'GET',
    path: `/v2/accounts/{id}/${PATHS[kind]}/{txId}`,
    tag,
    summary: STATUS_SUMMARIES[kind],
    response: externalCardSchema,
    read: async ({ caller, params: { id = '', txId = '' } }) =>
      externalCardView(services, await requireTransfer(services.database, caller.reach, kind, id, txId)),
  });
}

/** For the payer's browser, and for the party: no client calls these. */
export function externalCardOutsideRoutes(services: Services): Route[] {
  const { parties } = services;
  return [
    route({
      method: 'GET',
      path: REDIRECT_PATH,
      tag: 'Pages',
      summary: 'The way of a payer to the page of the card’s bank',
      role: 'public',
      async read({ params }) {
        const location = await payersWay(services, params['token'] ?? '');
        return new Reply(303, Buffer.alloc(0), { location: asciiUrl(location) });
      },
    }),
    callbackRoute(services, {
      party: 'external-cards',
      path: CALLBACK_PATH,
      verify: (raw, headers) => parties.externalCards.verify(raw, headers),
      async handle(tx, { key }) {
        const record = isId('externalCardTransaction', key) ? await findTransaction(tx, key) : undefined;
        if (!record) return 'unknown_record';
        await services.commands.append(tx, [lookAtTransfer(record)]);
        return 'told';
      },
    }),
  ];
}
