import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { operationKey } from '../../kernel/idempotency';
import { holdsCardNumber } from '../../kernel/wire/card-number';
import { amount } from '../../kernel/wire/schemas';
import { asciiUrl, webUrl } from '../../kernel/wire/web-url';
import type { Services } from '../../services';
import { createCardTransfer, requireCardTransfer } from './create';
import type { ExternalCardKind } from './record';
import { payerTarget, REDIRECT_PATH } from './redirect';
import { type ExternalCardView, externalCardSchema, externalCardView } from './view';

const tag = 'Accounts';

const bodyIn = (mode: Services['mode']) =>
  z.strictObject({
    amount: amount(),
    paymentMethodToken: z
      .string()
      .refine((given) => !holdsCardNumber(given), 'must be a token of the card, never its number')
      .regex(/^[\w.:-]{1,255}$/, 'must be 1 to 255 letters, digits, underscores, dots, colons or dashes')
      .meta({ examples: ['tok_visa'] }),
    returnUrl: webUrl(mode === 'sandbox' ? 'loopback' : 'nowhere', 'https://example.com/back').optional(),
  });

const CAPABILITIES = { topup: 'card_topup', withdrawal: 'card_withdrawal' } as const;
const PATHS = { topup: 'topup', withdrawal: 'withdraw' } as const;
const SUMMARIES = {
  topup: 'Top up an account from an external payment card',
  withdrawal: 'Withdraw from an account to an external payment card',
};
const STATUS_SUMMARIES = { topup: 'Status of a card top-up', withdrawal: 'Status of a card withdrawal' };

/** Top-ups from and withdrawals to external payment cards (`interface.md 4.1`, Accounts; decisions part 4). */
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
    scope: 'money',
    tag,
    capability: CAPABILITIES[kind],
    summary: SUMMARIES[kind],
    description:
      'The request names the card by a token. When the card’s bank asks the payer to confirm, the status becomes ' +
      '`requires_action`: send the payer to `redirectUrl`. `Prefer: wait=N` waits until the transaction ends, or waits for the ' +
      'payer or an approval.',
    body: bodyIn(services.mode),
    response: externalCardSchema,
    status: 202,
    idempotency: 'required',
    problems: ['limit_exceeded', 'account_closed', 'user_blocked', 'insufficient_funds'],
    settling: {
      read: async ({ caller, params }, id) => {
        const wanted = { accountId: params['id'] ?? '', id };
        return externalCardView(services, await requireCardTransfer(services, caller.reach, kind, wanted));
      },
      settled: ({ status }: ExternalCardView) => status !== 'pending' && status !== 'processing',
      async awaitsPerson({ caller, params }, id) {
        const wanted = { accountId: params['id'] ?? '', id };
        const { transfer } = (await requireCardTransfer(services, caller.reach, kind, wanted)).transfer;
        return transfer.status === 'pending_approval';
      },
    },
    async write(tx, request) {
      const { caller, params, body } = request;
      const given = { ...body, accountId: params['id'] ?? '' };
      const shown = await createCardTransfer(services, tx, kind, given, {
        reach: caller.reach,
        ...operationKey(request),
      });
      const { id: subject, tenantId, status } = shown.transfer.transfer;
      const action = `accounts.${PATHS[kind]}-card`;
      await auditAdmin(tx, { ...request, action, subject, tenantId, after: { status } });
      return externalCardView(services, shown);
    },
  });
}

function retrieval(services: Services, kind: ExternalCardKind): Route {
  return route({
    method: 'GET',
    path: `/v2/accounts/{id}/${PATHS[kind]}/{txId}`,
    tag,
    capability: CAPABILITIES[kind],
    summary: STATUS_SUMMARIES[kind],
    description: '`redirectUrl` is present while the payer must confirm.',
    response: externalCardSchema,
    async read({ caller, params: { id: accountId = '', txId: id = '' } }) {
      const shown = await requireCardTransfer(services, caller.reach, kind, { accountId, id });
      return externalCardView(services, shown);
    },
  });
}

/** Route for the payer's browser. Clients do not call it. */
export const cardAuthenticationRoute = (services: Services): Route =>
  route({
    method: 'GET',
    path: REDIRECT_PATH,
    tag: 'Pages',
    summary: 'Redirect a payer to the page of the card’s bank',
    description:
      'Target of `redirectUrl`. Redirects a browser to the card’s bank, or afterwards to `returnUrl`.',
    role: 'public',
    async read({ params }) {
      const location = await payerTarget(services, params['token'] ?? '');
      return new Reply(303, Buffer.alloc(0), { location: asciiUrl(location) });
    },
  });
