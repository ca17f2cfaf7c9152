import { createDocument, type oas31, type ZodOpenApiPathsObject } from 'zod-openapi';
import { license, version } from '../../package.json';
import type { EventDocument } from '../kernel/outbox/event-document';
import { HEADERS } from './openapi/answers';
import { described } from './openapi/described';
import { guides } from './openapi/guides';
import { operation } from './openapi/operation';
import { webhooksOf } from './openapi/webhooks';
import type { Route } from './route';

/** The groups of operations, in the order of `interface.md 4.1`. Other groups follow. */
const TAGS: Record<string, string> = {
  Health: 'Probes for a supervisor, without a credential.',
  Accounts: 'Balances and histories of your own accounts and of your users’ accounts.',
  Cards: 'Issuing, funding, freezing and closing cards, with their limits.',
  Transactions: 'Card and account transactions over everything.',
  Deposits: 'Money that comes in from a payer on a hosted page.',
  Webhooks: 'The addresses that receive your events.',
  Events: 'Your events, with the attempts to deliver them.',
  Sandbox: 'Plays the outside world: merchants, payers and mailboxes. Not in production.',
  Bins: 'The card programmes on which you may issue.',
  Users: 'The people to whom you issue.',
  Cardholders: 'Users as cardholders of a BIN, and the code lists of their data.',
  KYC: 'Identity documents and their review.',
  Exchange: 'Exchanges at a market, and withdrawals from it.',
  Payouts: 'Money that goes out to a beneficiary.',
  'Virtual IBAN': 'A bank account of your company, with SEPA payouts.',
  Wallets: 'Addresses on chains to which payers send.',
  'Gas station': 'Sweeps of wallets and the gas that they need. For operators.',
  Networks: 'The chains that the installation reads.',
  Clients: 'Your credential.',
};

/** Version of the interface (`interface.md 9.1`). The document has the version of the package. */
const INTERFACE_VERSION = '1.0.0';

const DESCRIPTION = 'Card issuing and multi-currency accounts.';

export interface OpenApiOptions {
  /** Default: the API of clients. */
  title?: string;
  description?: string;
  /** The ways to authenticate, each enough by itself. Default: a client's credential. */
  securitySchemes?: Record<string, oas31.SecuritySchemeObject>;
  /** Events that are sent to clients. Default: none. */
  events?: readonly EventDocument[];
  /** Base URL of the API for clients. Default: the place that the document was read from. */
  publicUrl?: string | undefined;
}

/** Builds the OpenAPI 3.1 document from the same schemas that validate requests. */
export function openApiDocument(routes: Route[], options: OpenApiOptions = {}): oas31.OpenAPIObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  const document = createDocument({
    openapi: '3.1.1',
    info: {
      title: options.title ?? 'Cardwright',
      version,
      license: { name: license, identifier: `LicenseRef-${license}` },
      description: options.description ?? `${DESCRIPTION}\n\n${guides()}`,
    },
    'x-interface-version': INTERFACE_VERSION,
    servers: [{ url: options.publicUrl ?? '/' }],
    tags: tagsOf(routes),
    security: options.securitySchemes
      ? Object.keys(options.securitySchemes).map((name) => ({ [name]: [] }))
      : [CREDENTIAL],
    paths,
    ...(options.events ? { webhooks: webhooksOf(options.events) } : {}),
    components: { headers: HEADERS, securitySchemes: options.securitySchemes ?? SECURITY_SCHEMES },
  });
  return described(document);
}

const CREDENTIAL = { clientId: [], clientSecret: [] };

const SECURITY_SCHEMES = {
  clientId: { type: 'apiKey', in: 'header', name: 'x-client-id', description: 'The tenant.' },
  clientSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'x-client-secret',
    description: "The tenant's secret.",
  },
} as const;

function tagsOf(routes: Route[]): oas31.TagObject[] {
  const used = new Set(routes.map((route) => route.tag));
  const known = Object.keys(TAGS).filter((tag) => used.delete(tag));
  return [...known, ...used].map((name) => ({ name, description: TAGS[name] ?? `${name}.` }));
}
