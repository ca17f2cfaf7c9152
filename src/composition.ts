import { requireAccount } from './accounts/operations';
import { accountRoutes } from './accounts/routes';
import { userAccountRoutes } from './accounts/user-routes';
import { createApp } from './api/app';
import { conditionalGet } from './api/conditional';
import { documentPages } from './api/docs-page';
import { healthRoutes } from './api/health';
import { openApiDocument } from './api/openapi';
import type { Route } from './api/route';
import { ibanPayoutProcesses } from './banking/processes';
import { bankingOutsideRoutes, bankingRoutes } from './banking/routes';
import { bankingSandboxRoutes } from './banking/sandbox-routes';
import { accountProgrammeRoutes } from './bins/account-routes';
import { assertBinOpen, requireAdmittedBin } from './bins/operations';
import { binRoutes } from './bins/routes';
import { createProgrammes } from './card-events/programmes';
import { cardTransactionRoutes } from './card-events/routes';
import type { CardServices } from './card-events/services';
import { cardholderProcesses } from './cardholders/processes';
import { cardholderRoutes } from './cardholders/routes';
import type { CardholderServices } from './cardholders/services';
import { cardholderUploadRoutes } from './cardholders/uploads';
import { capacityRoute } from './cards/capacity-routes';
import { blockCardsOf } from './cards/operations';
import { cardProcesses, tokenizationProcesses } from './cards/processes';
import { cardRoutes } from './cards/routes';
import { type Access, createAccess } from './clients/access';
import { createAuthenticator } from './clients/authenticate';
import { clientRoutes } from './clients/routes';
import { checkoutCallbackRoute } from './deposits/callback';
import { checkoutPageRoute } from './deposits/checkout-page';
import { depositProcesses } from './deposits/processes';
import { depositRoutes } from './deposits/routes';
import { externalCardProcesses } from './external-cards/processes';
import { externalCardOutsideRoutes, externalCardRoutes } from './external-cards/routes';
import { kycProcesses } from './kyc/processes';
import { kycRoutes } from './kyc/routes';
import { createCommands } from './outbox/commands';
import type { Reconcilable } from './outbox/reconciler';
import { payoutCallbackRoute } from './payouts/callbacks';
import { payoutProcesses } from './payouts/processes';
import { payoutRoutes } from './payouts/routes';
import { createHttpBank } from './providers/bank/http';
import { createSandboxCardProcessor } from './providers/card-processor/sandbox';
import { createSandboxCardholderReview } from './providers/cardholder-review/sandbox';
import { createHttpCheckout } from './providers/checkout/http';
import type { CheckoutProvider } from './providers/checkout/port';
import { createStripeCheckout } from './providers/checkout/stripe';
import { createMemoryStore } from './providers/documents/memory';
import { createDocuments } from './providers/documents/sealed';
import { createStore } from './providers/documents/settings';
import { createHttpExternalCards } from './providers/external-cards/http';
import { createHttpPayouts } from './providers/payouts/http';
import { createRates } from './providers/rates/port';
import { createSandboxRates } from './providers/rates/sandbox';
import { createReadiness } from './readiness';
import { createReference } from './reference/reference';
import { referenceRoutes } from './reference/routes';
import { sandboxRoutes } from './sandbox/routes';
import { partyPath, partySecret, type SandboxParty, sandboxProviders } from './sandbox-providers/mount';
import type { Providers } from './services';
import { StartupError } from './startup/startup-error';
import type { ApiOptions, Wiring } from './startup/wiring';
import { userRoutes } from './users/routes';
import type { UserServices } from './users/services';
import { reconcilableEndpoints } from './webhooks/operator';
import { webhookRoutes } from './webhooks/routes';

/** All that domains are given: the services, and what a domain is handed of those that stand below it. */
export interface Composed extends UserServices, CardholderServices, CardServices {
  /** What is known of tenants and their secrets: whoever changes those has it forgotten after the commit. */
  access: Access;
}

export function createServices(options: Wiring): Composed {
  const { database, keyring, log, mode, handOver, temporalIsServing, now = () => new Date() } = options;
  const readiness = createReadiness({
    postgres: () => database.query('select 1'),
    ...(temporalIsServing ? { temporal: temporalIsServing } : {}),
  });
  return {
    database,
    keyring,
    access: createAccess(database),
    log,
    mode,
    commands: createCommands(handOver),
    providers: createProviders(options, now),
    programmes: createProgrammes(),
    blockCardsOf,
    requireAccount,
    requireAdmittedBin,
    assertBinOpen,
    reference: createReference(),
    publicUrl: options.publicUrl ?? DEFAULT_URL,
    readiness,
    observeForged: options.observeForged ?? (() => undefined),
    now,
  };
}

const PARTIES = [
  'cardProcessor',
  'cardholderReview',
  'rates',
  'documents',
  'checkout',
  'payouts',
  'externalCards',
  'bank',
] as const;

/**
 * The outside parties. Those of the sandbox are simulations: a live product must be given real ones.
 * @throws StartupError in live mode for a party without an adapter
 */
function createProviders(options: Wiring, now: () => Date): Providers {
  const { database, keyring, mode, documents, cardholderReviewSeconds, providers = {} } = options;
  const given = { documents, checkout: options.stripe, ...providers };
  const missing = PARTIES.filter((party) => !given[party]);
  if (mode === 'live' && missing.length > 0) {
    throw new StartupError(
      `MODE=live needs an adapter for ${missing.join(' and ')}: see docs/architecture.md, "Providers". MODE=sandbox simulates them.`,
    );
  }
  return {
    cardProcessor: providers.cardProcessor ?? createSandboxCardProcessor({ database, keyring, now }),
    cardholderReview:
      providers.cardholderReview ??
      createSandboxCardholderReview({ database, now, decisionSeconds: cardholderReviewSeconds }),
    rates: providers.rates ?? createRates(createSandboxRates(now), { now }),
    documents:
      providers.documents ??
      createDocuments(documents ? createStore(documents) : createMemoryStore(), keyring),
    checkout: providers.checkout ?? createCheckout(options, now),
    payouts: providers.payouts ?? createHttpPayouts({ ...sandboxParty(options, 'payouts'), now }),
    externalCards:
      providers.externalCards ?? createHttpExternalCards({ ...sandboxParty(options, 'external-cards'), now }),
    bank: providers.bank ?? createHttpBank({ ...sandboxParty(options, 'bank'), now }),
  };
}

function createCheckout(options: Wiring, now: () => Date): CheckoutProvider {
  return options.stripe
    ? createStripeCheckout({ ...options.stripe, now })
    : createHttpCheckout({ ...sandboxParty(options, 'checkout'), now });
}

/** How the adapter of a sandbox provider reaches it. */
function sandboxParty({ keyring, ...options }: Wiring, party: SandboxParty) {
  const base = options.sandboxProvidersUrl ?? options.publicUrl ?? DEFAULT_URL;
  return { baseUrl: () => base() + partyPath(party), secret: partySecret(keyring, party) };
}

const DEFAULT_URL = () => 'http://127.0.0.1:8080';

/** The records that workflows drive: what starts them again when Temporal has lost them. */
export function reconcilables(_services: Composed): Reconcilable[] {
  return [
    cardProcesses,
    tokenizationProcesses,
    cardholderProcesses,
    kycProcesses,
    depositProcesses,
    payoutProcesses,
    externalCardProcesses,
    ibanPayoutProcesses,
    reconcilableEndpoints,
  ];
}

/** Every endpoint of the API, in the order of `interface.md 4.1`. */
export function apiRoutes(services: Composed): Route[] {
  return [
    ...healthRoutes(() => services.readiness()),
    ...accountRoutes(services),
    ...userAccountRoutes(services),
    ...accountProgrammeRoutes(services),
    ...externalCardRoutes(services),
    ...userRoutes(services),
    ...cardholderRoutes(services),
    ...cardholderUploadRoutes(services),
    ...kycRoutes(services),
    ...referenceRoutes(services),
    ...binRoutes(services),
    capacityRoute(services),
    ...cardRoutes(services),
    ...cardTransactionRoutes(services),
    ...depositRoutes(services),
    ...payoutRoutes(services),
    ...bankingRoutes(services),
    ...sandboxRoutes(services),
    ...bankingSandboxRoutes(services),
    ...webhookRoutes(services),
    ...clientRoutes(services),
  ];
}

/**
 * What is served beside the documented interface: pages for a payer's browser, and where providers call back. No client
 * calls these.
 */
export function outsideRoutes(services: Composed): Route[] {
  return [
    checkoutPageRoute(services),
    checkoutCallbackRoute(services),
    payoutCallbackRoute(services),
    ...externalCardOutsideRoutes(services),
    ...bankingOutsideRoutes(services),
  ];
}

export function createApi(services: Composed, { observe, publicUrl }: ApiOptions) {
  const { database, keyring, access, log } = services;
  const routes = apiRoutes(services);
  return createApp({
    database,
    log,
    routes: [...routes, ...outsideRoutes(services)],
    authenticate: createAuthenticator(database, keyring, access),
    pages: [
      conditionalGet,
      documentPages(() => openApiDocument(routes, { publicUrl })),
      ...sandboxProviders(services),
    ],
    observe,
  });
}
