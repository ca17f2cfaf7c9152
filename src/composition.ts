import { accountTransactionDocument } from './accounts/accounts/events';
import { requireAccount } from './accounts/accounts/operations';
import { accountRoutes } from './accounts/accounts/routes';
import { userAccountRoutes } from './accounts/accounts/user-routes';
import { accountExchangeRoutes } from './accounts/exchange/routes';
import { moneyReading } from './accounts/metrics';
import { statementRoutes } from './accounts/statements/routes';
import type { StatementServices } from './accounts/statements/services';
import { OPERATION_STATUSES } from './cards/buffered/record';
import { blockCardsOf, cardAccount, requireCard } from './cards/cards/operations';
import { cardRoutes } from './cards/cards/routes';
import { mailboxPageRoutes, mailboxRoutes } from './cards/challenges/mailbox-routes';
import { createGatherer } from './cards/events/batches/gather';
import { AUTHORIZATIONS_DUE } from './cards/events/expiry';
import { limitsRoutes } from './cards/events/limits/routes';
import { cardEventRoutes } from './cards/events/routes';
import { sandboxRoutes } from './cards/events/sandbox-routes';
import { cardTransactionRoutes } from './cards/events/transaction-routes';
import { cardTransactionDocument } from './cards/events/view';
import { capacityRoute } from './cards/issuance/capacity-routes';
import { issueRoute } from './cards/issuance/routes';
import { processorCallbackRoute } from './cards/orders/callback-routes';
import { challengeRoute, processorMessageRoute } from './cards/processor/routes';
import { accountProgrammeRoutes } from './cards/programmes/account-routes';
import { createProgrammes } from './cards/programmes/cache';
import { assertBinOpen, requireAdmittedBin } from './cards/programmes/operations';
import { binRoutes } from './cards/programmes/routes';
import { cardQuoteRoutes } from './cards/requests/quote-routes';
import { bufferedCardRoutes } from './cards/requests/routes';
import { SWEEPS_DUE } from './chain/gas-station/auto-sweep';
import { gasStationRoutes } from './chain/gas-station/routes';
import { chainReading } from './chain/metrics';
import { networkRoutes } from './chain/networks/routes';
import { signingReading } from './chain/signing/metrics';
import { walletAdminRoutes } from './chain/wallets/admin-routes';
import { holdersOf } from './chain/wallets/operations';
import { walletRoutes } from './chain/wallets/routes';
import { waitingCounts } from './desk/catalogue';
import { consoleRoutes } from './desk/console/routes';
import { uiOrigin } from './desk/http/payload-routes';
import { DESK_DOCUMENT, deskRoutes } from './desk/http/routes';
import type { DeskHttp } from './desk/http/services';
import { createDeskAuthenticator } from './desk/http/session-routes';
import { WATCHED } from './desk/overdue';
import { SIGN_IN_RULES } from './desk/sign-in/rules';
import { type CatalogueServices, deskCatalogue } from './desk-catalogue';
import { byClientHeaders, createApp } from './http/app';
import { documentPages } from './http/docs-page';
import { healthRoutes } from './http/health';
import { openApiDocument } from './http/openapi';
import { permissionOf } from './http/permission';
import { packagedReader, readerFolder } from './http/reader-files';
import type { Route } from './http/route';
import { untoldHeadsReading } from './kernel/audit/metrics';
import type { BankAccount } from './kernel/config/bank-files';
import { type PartySettings } from './kernel/config/parties';
import { SANDBOX_RANGE } from './kernel/config/virtual-ibans';
import type { Sign } from './kernel/db/lookout';
import { NO_OBSERVERS } from './kernel/metrics/observers';
import { outboxReading } from './kernel/metrics/outbox';
import type { Reading } from './kernel/metrics/readings';
import { archiveReading, keysReading, postgresReading } from './kernel/metrics/upkeep';
import { waitingReading } from './kernel/metrics/waiting';
import { createCommands } from './kernel/outbox/commands';
import type { EventDocument } from './kernel/outbox/event-document';
import { statusDocuments } from './kernel/outbox/status-event';
import { PARTIES, type Party } from './kernel/parties';
import { createProductClock } from './kernel/product-clock';
import { createRateLimiter } from './kernel/rate-limit';
import { createReadiness } from './kernel/readiness';
import type { FirstStep } from './kernel/temporal/hand-over';
import type { Reconcilable } from './kernel/temporal/reconciler';
import { createParties } from './parties/create';
import { bankFilesReading } from './parties/iso20022/metrics';
import { observedParties } from './parties/protocol/observed';
import { dealtWhileOn } from './parties/rates/left-out';
import { createSandboxParties, type SandboxParties } from './parties/sandbox/mount';
import { cardholderStatusDocument } from './people/cardholders/events';
import { cardholderUploadRoutes } from './people/cardholders/files/routes';
import { reviewCallbackRoute } from './people/cardholders/review/callback-routes';
import { cardholderRoutes } from './people/cardholders/routes';
import type { CardholderServices } from './people/cardholders/services';
import { noteChangedFields } from './people/kyc/approvals';
import { kycStatusDocument } from './people/kyc/events';
import { kycRoutes } from './people/kyc/routes';
import { createReference } from './people/reference/reference';
import { referenceRoutes } from './people/reference/routes';
import { requireUser, sealerOfUser } from './people/users/operations';
import { userRoutes } from './people/users/routes';
import { breaksReading } from './process/breaks/metrics';
import { afterAdvance } from './process/clock/after-advance';
import { type ClockServices, clockRoutes } from './process/clock/routes';
import { ratesReading } from './process/limits/metrics';
import { overdueReading } from './process/overdue';
import { createAdmission } from './process/switches/admission';
import { createSwitches } from './process/switches/switches';
import type { ApiOptions, DeskOptions, Wiring } from './startup/wiring';
import { createAccess } from './tenants/clients/access';
import { createAuthenticator } from './tenants/clients/authenticate';
import { SECRET_DOCUMENTS } from './tenants/clients/events';
import { createFailedSignIns, type FailedSignIns } from './tenants/clients/failed-sign-ins';
import { clientRoutes } from './tenants/clients/routes';
import { endpointsReading } from './tenants/webhooks/metrics';
import { reconcilableEndpoints } from './tenants/webhooks/operator';
import { webhookRoutes } from './tenants/webhooks/routes';
import { partyCallbackRoutes } from './transfers/callback-routes';
import { currenciesReached } from './transfers/capabilities';
import { chainDepositRoutes } from './transfers/chain-deposits/routes';
import { DEPOSIT_DOCUMENTS } from './transfers/deposits/events';
import { checkoutPageRoute } from './transfers/deposits/page/routes';
import { depositRoutes } from './transfers/deposits/routes';
import { linksOf } from './transfers/engine/read';
import { withdrawalDestinationRoutes } from './transfers/exchange/destinations/routes';
import { exchangeOrderRoutes } from './transfers/exchange/orders/routes';
import { settlementRoutes } from './transfers/exchange/settlement/routes';
import { withdrawalRoutes } from './transfers/exchange/withdrawals/routes';
import { cardAuthenticationRoute, externalCardRoutes } from './transfers/external-cards/routes';
import { createFirstStep } from './transfers/first-step';
import { remittersOf } from './transfers/iban/credits/remitters';
import { bankingRoutes } from './transfers/iban/routes';
import { bankingSandboxRoutes } from './transfers/iban/sandbox-routes';
import { hasVirtualIban, ibanAccount, requireCapability } from './transfers/iban/virtual-ibans/capability';
import { TOLD_TRANSFER_STATUSES, TRANSFER_STATUSES } from './transfers/kinds';
import { openTransfersReading, settlementReading, suspenseReading } from './transfers/metrics';
import { payoutRoutes } from './transfers/payouts/routes';
import { screeningReading } from './transfers/screening/metrics';
import { screeningCallbackRoute } from './transfers/screening-callback-routes';
import { followingAtOnce } from './watch/chains/process';
import { createListsRead } from './watch/list-state';
import { listAgeReading } from './watch/metrics';

/** Everything that the domains receive: the services, and functions of districts below them. */
export interface Composed extends CatalogueServices, CardholderServices, StatementServices, ClockServices {
  /** The simulated parties. The API process serves them and sends their callbacks. */
  sandboxParties: SandboxParties;
  failedSignIns: FailedSignIns;
  /** Our accounts at a bank by files. Empty: no bank is reached by files. */
  bankAccounts: readonly BankAccount[];
}

export function createServices(options: Wiring): Composed {
  const { database, keyring, log, mode, handOver } = options;
  const productClock = createProductClock(options.now ?? (() => new Date()));
  const { now, machineNow } = productClock;
  const { readiness = createReadiness({ needed: { postgres: () => database.query('select 1') } }).ask } =
    options;
  const publicUrl = options.publicUrl ?? DEFAULT_URL;
  const switches = createSwitches(database, { leftOut: leftOutIn(options.partySettings) });
  const observers = { ...NO_OBSERVERS, ...options.observers };
  const reference = createReference();
  const parties = observedParties(
    createParties({
      sandboxPartiesUrl: publicUrl,
      ...options,
      now,
      machineNow,
      observers,
      cityName: (region, code) => reference.cities(region).find((city) => city.code === code)?.name,
    }),
    observers.observePartyCall,
  );
  const dealt = {
    ...parties,
    rates: dealtWhileOn(parties.rates, () => switches.partyAtOnce('rates') === 'on'),
  };
  const programmes = createProgrammes();
  const commands = createCommands(handOver);
  return {
    database,
    keyring,
    access: createAccess(database),
    failedSignIns: createFailedSignIns({ database, log, ...observers }),
    sandboxParties: createSandboxParties({
      mode,
      database,
      keyring,
      log,
      now,
      productClock,
      publicUrl,
      decisionSeconds: {
        'card-processor': options.cardProcessorSeconds,
        'cardholder-review': options.cardholderReviewSeconds,
      },
      rates: options.sandboxRates,
    }),
    log,
    mode,
    commands,
    parties: dealt,
    switches,
    programmes,
    answerWithin: options.answerWithin,
    gatherer: createGatherer(database, { programmes, parties: dealt, ...observers }),
    blockCardsOf,
    noteChangedFields,
    requireAccount,
    findAccountElsewhere: ibanAccount,
    findCardAccount: cardAccount,
    remittersOf: (references) => remittersOf({ keyring }, database, references),
    linksOf,
    transferStatuses: TRANSFER_STATUSES,
    requireAdmittedBin,
    assertBinOpen,
    reference,
    publicUrl,
    readiness,
    bankAccounts: options.bankFiles?.accounts ?? [],
    ...observers,
    leastNodeHosts: mode === 'live' && !options.singleNodeForTests ? LIVE_NODE_HOSTS : 1,
    ibanRange: options.ibanRange ?? (mode === 'sandbox' ? SANDBOX_RANGE : undefined),
    isListRead: createListsRead({ database, now }),
    settlementDifferenceSeconds: options.settlementDifferenceSeconds ?? 3_600,
    settlementWaitSeconds: options.settlementWaitSeconds ?? 259_200,
    cardOrderWaitSeconds: options.cardOrderWaitSeconds ?? 86_400,
    walletQuarantineSeconds: options.walletQuarantineSeconds ?? 86_400,
    eventsKeptDays: options.eventsKeptDays ?? 90,
    now,
    productClock,
    clockAdvanced: afterAdvance({
      database,
      commands,
      productClock,
      rates: dealt.rates,
      log,
      reconcilables: RECONCILABLES,
      onClockAdvanced: options.onClockAdvanced,
    }),
  };
}

const leftOutIn = (settings: PartySettings = {}): Party[] =>
  PARTIES.filter((party) => settings[party] === 'off');

/** In live mode a network needs nodes on two hosts, because a single node could lie. */
const LIVE_NODE_HOSTS = 2;

const DEFAULT_URL = () => 'http://127.0.0.1:8080';

/** The records that workflows drive. The reconciler restarts their workflows when Temporal has lost them. */
export function reconcilables(_services: Composed): Reconcilable[] {
  return RECONCILABLES;
}

const RECONCILABLES: Reconcilable[] = [...WATCHED, reconcilableEndpoints];

/** The metrics that a scrape reads from the database. */
export function readings(services: Composed): Reading[] {
  const { lists } = deskCatalogue(services);
  return [
    outboxReading,
    untoldHeadsReading,
    listAgeReading(services),
    breaksReading,
    suspenseReading,
    openTransfersReading,
    screeningReading,
    moneyReading,
    settlementReading(services),
    bankFilesReading(services),
    ratesReading(services.now),
    chainReading(services),
    signingReading(() => new Date()),
    overdueReading(reconcilables(services), services.now),
    endpointsReading,
    keysReading,
    archiveReading,
    postgresReading,
    waitingReading(async (sql) =>
      (await waitingCounts(lists, sql, services.now())).map(({ list: queue, ...count }) => ({
        queue,
        ...count,
      })),
    ),
  ];
}

/** Signs that a run of a schedule would find something, by the schedule's id. */
export const DUE_SCHEDULES: Readonly<Record<string, Sign>> = {
  'authorization-expiry': AUTHORIZATIONS_DUE,
  'gas-auto-sweep': SWEEPS_DUE,
};

/** The first step of a new record. The process that commits the record runs it before the workflow starts. */
export const firstStepOf = (services: Composed): FirstStep => createFirstStep(services);

/** Every endpoint of the API, in the order of `interface.md 4.1`. */
export function apiRoutes(services: Composed): Route[] {
  return [
    ...healthRoutes(() => services.readiness()),
    ...accountRoutes(services),
    ...statementRoutes(services),
    ...userAccountRoutes(services),
    ...accountExchangeRoutes(services),
    ...accountProgrammeRoutes({
      ...services,
      hasVirtualIban,
      currenciesReached: (tenantId, currencies) => currenciesReached(services, tenantId, currencies),
    }),
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
    ...limitsRoutes(services),
    ...cardQuoteRoutes(services),
    ...bufferedCardRoutes(services),
    ...cardTransactionRoutes(services),
    ...depositRoutes(services),
    ...exchangeOrderRoutes(services),
    ...settlementRoutes(services),
    ...payoutRoutes(services),
    ...bankingRoutes(services),
    ...withdrawalDestinationRoutes(services),
    ...withdrawalRoutes(services),
    ...walletRoutes(services),
    ...walletAdminRoutes(services),
    ...chainDepositRoutes(services),
    ...gasStationRoutes(services),
    ...networkRoutes(services, followingAtOnce(services)),
    ...sandboxRoutes(services),
    ...mailboxRoutes(services),
    ...bankingSandboxRoutes(services),
    ...clockRoutes(services),
    ...webhookRoutes(services),
    ...clientRoutes(services),
  ];
}

/** The events that are sent to clients, for the OpenAPI document. */
export const EVENT_DOCUMENTS: readonly EventDocument[] = [
  cardTransactionDocument,
  accountTransactionDocument,
  ...DEPOSIT_DOCUMENTS,
  ...statusDocuments({
    payout: TOLD_TRANSFER_STATUSES.payout,
    transfer: [...new Set([...TOLD_TRANSFER_STATUSES.transfer, ...OPERATION_STATUSES])],
  }),
  cardholderStatusDocument,
  kycStatusDocument,
  ...SECRET_DOCUMENTS,
];

/**
 * Routes outside of the documented API: pages for a payer's browser and the parties' callbacks. No client calls them.
 */
export function outsideRoutes(services: Composed): Route[] {
  // A party that is left out has no callback route.
  const isIn = (party: Party, create: (services: Composed) => Route): Route[] =>
    services.switches.partyAtOnce(party) === 'left_out' ? [] : [create(services)];
  return [
    checkoutPageRoute(services),
    ...partyCallbackRoutes(services),
    ...isIn('cardProcessor', processorCallbackRoute),
    ...isIn('cardProcessor', processorMessageRoute),
    ...isIn('cardProcessor', challengeRoute),
    ...mailboxPageRoutes(services),
    ...isIn('cardholderReview', reviewCallbackRoute),
    ...isIn('screening', screeningCallbackRoute),
    cardAuthenticationRoute(services),
  ];
}

/** Stops the background work that {@link createApi} has started. */
export async function stopBesideApi({ sandboxParties, parties, failedSignIns }: Composed): Promise<void> {
  await Promise.all([sandboxParties.stop(), parties.rates.stop(), failedSignIns.stop()]);
}

/** The desk's HTTP API, which a listener of its own serves to operators. */
export function createDesk(
  services: Composed,
  {
    observe,
    clock = () => new Date(),
    workflowUrl,
    temporalUi,
    spend = createRateLimiter(),
    signInRules = SIGN_IN_RULES,
    trustedProxies,
  }: DeskOptions,
) {
  const { database, log } = services;
  const desk: DeskHttp = {
    ...services,
    catalogue: deskCatalogue(services, clock, signInRules),
    signInRules,
    clock,
    workflowUrl: workflowUrl ?? (() => null),
    spend,
  };
  const routes = deskRoutes(desk);
  return createApp({
    database,
    log,
    // The document describes the API alone.
    routes: [...routes, ...consoleRoutes(desk)],
    authenticate: createDeskAuthenticator(desk),
    crossOrigin: uiOrigin(temporalUi),
    pages: [
      documentPages({
        document: () => openApiDocument(routes, DESK_DOCUMENT),
        keepsCredentials: false,
        reader: readerFolder(packagedReader()),
      }),
    ],
    observe,
    spend,
    trustedProxies,
  });
}

export function createApi(services: Composed, { observe, publicUrl, spend, trustedProxies }: ApiOptions) {
  const { database, keyring, access, log, sandboxParties, parties, failedSignIns } = services;
  sandboxParties.start();
  parties.rates.start();
  const routes = apiRoutes(services);
  return createApp({
    database,
    log,
    routes: [...routes, ...outsideRoutes(services)],
    admission: createAdmission(
      services.switches,
      {
        virtual_iban: ({ caller, params }) => requireCapability(database, caller, params['companyId'] ?? ''),
      },
      {
        tenant: async (tenantId) => ({ tenantId }),
        user: (id) => requireUser(database, null, id),
        account: (id) => requireAccount(database, null, id),
        card: (id) => requireCard(database, null, id),
      },
      { crypto: ({ body }) => holdersOf(database, body) },
    ),
    authenticate: byClientHeaders(createAuthenticator(database, keyring, access, { failedSignIns })),
    permissionOf,
    answerSealers: async (sql, userId) =>
      userId === null ? keyring.sealer('answers') : sealerOfUser(services, sql, userId),
    pages: [
      documentPages({
        document: () => openApiDocument(routes, { publicUrl, events: EVENT_DOCUMENTS }),
        // The secrets of a sandbox move no money.
        keepsCredentials: services.mode === 'sandbox',
        reader: readerFolder(packagedReader()),
      }),
      ...sandboxParties.middlewares,
    ],
    observe,
    observeSensitive: services.observeSensitive,
    spend,
    trustedProxies,
  });
}
