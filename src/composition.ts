import { requireAccount } from './accounts/accounts/operations';
import { accountRoutes } from './accounts/accounts/routes';
import type { AccountServices } from './accounts/accounts/services';
import { userAccountRoutes } from './accounts/accounts/user-routes';
import { blockCardsOf } from './cards/cards/operations';
import { cardRoutes } from './cards/cards/routes';
import { cardProcesses, tokenizationProcesses } from './cards/cards/workflows';
import { cardEventRoutes } from './cards/events/routes';
import { sandboxRoutes } from './cards/events/sandbox-routes';
import { cardTransactionRoutes } from './cards/events/transaction-routes';
import { capacityRoute } from './cards/issuance/capacity-routes';
import { issueRoute } from './cards/issuance/routes';
import { accountProgrammeRoutes } from './cards/programmes/account-routes';
import { createProgrammes } from './cards/programmes/cache';
import { assertBinOpen, requireAdmittedBin } from './cards/programmes/operations';
import { binRoutes } from './cards/programmes/routes';
import type { CardServices } from './cards/services';
import { createApp } from './http/app';
import { conditionalGet } from './http/conditional-get';
import { documentPages } from './http/docs-page';
import { healthRoutes } from './http/health';
import { openApiDocument } from './http/openapi';
import type { Route } from './http/route';
import { createCommands } from './kernel/outbox/commands';
import { createReadiness } from './kernel/readiness';
import { StartupError } from './kernel/startup-error';
import type { FirstStep } from './kernel/temporal/hand-over';
import type { Reconcilable } from './kernel/temporal/reconciler';
import { createHttpBank } from './parties/bank/http';
import { createSandboxCardProcessor } from './parties/card-processor/sandbox/processor';
import { createSandboxCardholderReview } from './parties/cardholder-review/sandbox/reviewer';
import { createHttpCheckout } from './parties/checkout/http';
import type { CheckoutParty } from './parties/checkout/port';
import { createStripeCheckout } from './parties/checkout/stripe/checkout';
import { createMemoryStore } from './parties/documents/memory';
import { createDocuments } from './parties/documents/sealed';
import { createStore } from './parties/documents/settings';
import { createHttpExternalCards } from './parties/external-cards/http';
import { createHttpPayouts } from './parties/payouts/http';
import { createRates } from './parties/rates/port';
import { createSandboxRates } from './parties/rates/sandbox/rates';
import { createSandboxParties, partyPath, partySecret, type SandboxParties } from './parties/sandbox/mount';
import type { SandboxParty } from './parties/sandbox/options';
import { cardholderUploadRoutes } from './people/cardholders/files/routes';
import { cardholderRoutes } from './people/cardholders/routes';
import type { CardholderServices } from './people/cardholders/services';
import { cardholderProcesses } from './people/cardholders/workflows';
import { kycRoutes } from './people/kyc/routes';
import { kycProcesses } from './people/kyc/workflows';
import { createReference } from './people/reference/reference';
import { referenceRoutes } from './people/reference/routes';
import { userRoutes } from './people/users/routes';
import type { UserServices } from './people/users/services';
import type { Parties } from './services';
import type { ApiOptions, Wiring } from './startup/wiring';
import { type Access, createAccess } from './tenants/clients/access';
import { createAuthenticator } from './tenants/clients/authenticate';
import { clientRoutes } from './tenants/clients/routes';
import { reconcilableEndpoints } from './tenants/webhooks/operator';
import { webhookRoutes } from './tenants/webhooks/routes';
import { partyCallbackRoutes } from './transfers/callback-routes';
import { checkoutPageRoute } from './transfers/deposits/page/routes';
import { depositRoutes } from './transfers/deposits/routes';
import { linksOf } from './transfers/engine/read';
import { cardAuthenticationRoute, externalCardRoutes } from './transfers/external-cards/routes';
import { createFirstStep } from './transfers/first-step';
import { bankingRoutes } from './transfers/iban/routes';
import { bankingSandboxRoutes } from './transfers/iban/sandbox-routes';
import { ibanAccount } from './transfers/iban/virtual-ibans/capability';
import { payoutRoutes } from './transfers/payouts/routes';
import { transferProcesses } from './transfers/reconcilables';
import { createListsRead } from './transfers/watch/list-state';

/** All that domains are given: the services, and what a domain is handed of those that stand below it. */
export interface Composed extends UserServices, CardholderServices, AccountServices, CardServices {
  /** What is known of tenants and their secrets: whoever changes those has it forgotten after the commit. */
  access: Access;
  /** Served, and calling back, where the API is. */
  sandboxParties: SandboxParties;
}

export function createServices(options: Wiring): Composed {
  const { database, keyring, log, mode, handOver, temporalIsServing, now = () => new Date() } = options;
  const readiness = createReadiness({
    postgres: () => database.query('select 1'),
    ...(temporalIsServing ? { temporal: temporalIsServing } : {}),
  });
  const publicUrl = options.publicUrl ?? DEFAULT_URL;
  return {
    database,
    keyring,
    access: createAccess(database),
    sandboxParties: createSandboxParties({ mode, database, keyring, log, now, publicUrl }),
    log,
    mode,
    commands: createCommands(handOver),
    parties: createParties(options, now),
    programmes: createProgrammes(),
    blockCardsOf,
    requireAccount,
    findAccountElsewhere: ibanAccount,
    linksOf,
    requireAdmittedBin,
    assertBinOpen,
    reference: createReference(),
    publicUrl,
    readiness,
    observeForged: options.observeForged ?? (() => undefined),
    observeUnreadableList: options.observeUnreadableList ?? (() => undefined),
    isListRead: createListsRead({ database, now }),
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
function createParties(options: Wiring, now: () => Date): Parties {
  const { database, keyring, mode, documents, cardholderReviewSeconds, parties = {} } = options;
  const given = { documents, checkout: options.stripe, ...parties };
  const missing = PARTIES.filter((party) => !given[party]);
  if (mode === 'live' && missing.length > 0) {
    throw new StartupError(
      `MODE=live needs an adapter for ${missing.join(' and ')}: see docs/architecture.md, "Providers". MODE=sandbox simulates them.`,
    );
  }
  return {
    cardProcessor: parties.cardProcessor ?? createSandboxCardProcessor({ database, keyring, now }),
    cardholderReview:
      parties.cardholderReview ??
      createSandboxCardholderReview({ database, now, decisionSeconds: cardholderReviewSeconds }),
    rates: parties.rates ?? createRates(createSandboxRates(now), { now }),
    documents:
      parties.documents ?? createDocuments(documents ? createStore(documents) : createMemoryStore(), keyring),
    checkout: parties.checkout ?? createCheckout(options, now),
    payouts: parties.payouts ?? createHttpPayouts({ ...sandboxParty(options, 'payouts'), now }),
    externalCards:
      parties.externalCards ?? createHttpExternalCards({ ...sandboxParty(options, 'external-cards'), now }),
    bank: parties.bank ?? createHttpBank({ ...sandboxParty(options, 'bank'), now }),
  };
}

function createCheckout(options: Wiring, now: () => Date): CheckoutParty {
  return options.stripe
    ? createStripeCheckout({ ...options.stripe, now })
    : createHttpCheckout({ ...sandboxParty(options, 'checkout'), now });
}

/** How the adapter of a sandbox party reaches it. */
function sandboxParty({ keyring, ...options }: Wiring, party: SandboxParty) {
  const base = options.sandboxPartiesUrl ?? options.publicUrl ?? DEFAULT_URL;
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
    ...transferProcesses,
    reconcilableEndpoints,
  ];
}

/** The steps of new records that whoever commits them takes before their workflows. */
export const firstStepOf = (services: Composed): FirstStep => createFirstStep(services);

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
    issueRoute(services),
    ...cardEventRoutes(services),
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
 * What is served beside the documented interface: pages for a payer's browser, and where parties call back. No client
 * calls these.
 */
export function outsideRoutes(services: Composed): Route[] {
  return [checkoutPageRoute(services), ...partyCallbackRoutes(services), cardAuthenticationRoute(services)];
}

export function createApi(services: Composed, { observe, publicUrl }: ApiOptions) {
  const { database, keyring, access, log, sandboxParties } = services;
  sandboxParties.start();
  const routes = apiRoutes(services);
  return createApp({
    database,
    log,
    routes: [...routes, ...outsideRoutes(services)],
    authenticate: createAuthenticator(database, keyring, access),
    pages: [
      conditionalGet,
      documentPages(() => openApiDocument(routes, { publicUrl })),
      ...sandboxParties.middlewares,
    ],
    observe,
  });
}
