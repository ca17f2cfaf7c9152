import { createDocument, type oas31, type ZodOpenApiPathsObject } from 'zod-openapi';
import { version } from '../../package.json';
import { HEADERS } from './openapi/answers';
import { described } from './openapi/described';
import { guides } from './openapi/guides';
import { operation } from './openapi/operation';
import type { Route } from './route';

/** Tags in the order of `interface.md 4.1`. Other tags follow. */
const TAGS = [
  ...['Health', 'Accounts', 'Cards', 'Transactions', 'Deposits', 'Webhooks', 'Sandbox', 'Bins', 'Users'],
  ...['Cardholders', 'KYC', 'Exchange', 'Payouts', 'Virtual IBAN', 'Wallets', 'Gas station', 'Networks'],
];

/** Version of the interface (`interface.md 9.1`). The document has the version of the package. */
const INTERFACE_VERSION = '1.0.0';

const DESCRIPTION = 'Card issuing and multi-currency accounts.';

export interface OpenApiOptions {
  /** Default: the API of clients. */
  title?: string;
  description?: string;
  /** The ways to authenticate, each enough by itself. Default: a client's credential. */
  securitySchemes?: Record<string, oas31.SecuritySchemeObject>;
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
      description: options.description ?? `${DESCRIPTION}\n\n${guides()}`,
    },
    'x-interface-version': INTERFACE_VERSION,
    servers: [{ url: options.publicUrl ?? '/' }],
    tags: tagsOf(routes).map((name) => ({ name })),
    security: options.securitySchemes
      ? Object.keys(options.securitySchemes).map((name) => ({ [name]: [] }))
      : [CREDENTIAL],
    paths,
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

function tagsOf(routes: Route[]): string[] {
  const used = new Set(routes.map((route) => route.tag));
  return [...TAGS.filter((tag) => used.delete(tag)), ...used];
}
