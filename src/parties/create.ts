import type { Logger } from 'pino';
import type { DocumentsSettings } from '../kernel/config';
import type { Database } from '../kernel/db/database';
import type { SmtpSettings } from '../kernel/mail-settings';
import type { Observers } from '../kernel/metrics/observers';
import { PARTIES, PARTY_NAMES, type Party } from '../kernel/parties';
import { missingParties, type PartySettings } from '../kernel/party-settings';
import type { RatesSettings } from '../kernel/rates-settings';
import type { Keyring } from '../kernel/security/keyring';
import { StartupError } from '../kernel/startup-error';
import type { StripeSettings } from '../kernel/stripe-settings';
import { keepCountingRates } from '../process/limits/rates';
import { createHttpBank } from './bank/http';
import { createHttpCardProcessor } from './card-processor/http';
import { createHttpCardholderReview } from './cardholder-review/http';
import { reviewLeftOut } from './cardholder-review/left-out';
import { createChains } from './chain/create';
import { createHttpCheckout } from './checkout/http';
import { createStripeCheckout } from './checkout/stripe/checkout';
import { createMemoryStore } from './documents/memory';
import { createDocuments } from './documents/sealed';
import { createStore } from './documents/settings';
import { createHttpExchange } from './exchange/http';
import { createHttpExternalCards } from './external-cards/http';
import { leftOut } from './left-out';
import { NO_MAILER } from './mail/none';
import type { Mailer } from './mail/port';
import { createMailbox } from './mail/sandbox/mailbox';
import { createSmtpMailer } from './mail/smtp';
import type { Parties } from './parties';
import { createHttpPayouts } from './payouts/http';
import type { AdapterOptions } from './protocol/client';
import { observed } from './protocol/observed';
import { type ConfiguredSource, configuredSource } from './rates/configured';
import { createHttpRates } from './rates/http';
import { ratesLeftOut } from './rates/left-out';
import { createRates } from './rates/memory';
import type { RefreshedRates } from './rates/port';
import { midsOf } from './rates/snapshot';
import { partyPath, partySecret } from './sandbox/mount';
import { createLocalSigner } from './signer/local';

export interface PartiesOptions {
  mode: 'sandbox' | 'live';
  /** Database of the wallets' sealed seed, the sandbox mailbox and the last rates. */
  database: Database;
  keyring: Keyring;
  log: Logger;
  now: () => Date;
  observers: Observers;
  /** Replace the adapters that would be created. */
  parties?: Partial<Parties> | undefined;
  documents?: DocumentsSettings | undefined;
  stripe?: StripeSettings | undefined;
  ratesSource?: RatesSettings | undefined;
  /** The mail server. Without one, the sandbox shows mails in the tester's mailbox only. */
  smtp?: SmtpSettings | undefined;
  partySettings?: PartySettings | undefined;
  /** Where the sandbox's parties are served, without a trailing slash. */
  sandboxPartiesUrl(): string;
}

/** The adapter of each party, over our protocol. */
const ADAPTERS: { readonly [P in Party]: (options: AdapterOptions, wiring: PartiesOptions) => Parties[P] } = {
  cardProcessor: createHttpCardProcessor,
  cardholderReview: createHttpCardholderReview,
  checkout: createHttpCheckout,
  payouts: createHttpPayouts,
  externalCards: createHttpExternalCards,
  bank: createHttpBank,
  exchange: createHttpExchange,
  rates: (address, options) => keptRates({ source: createHttpRates(address) }, options),
};

/** Rates from memory, refreshed from any source. The defaults of the refresh suit a live feed. */
const keptRates = (
  { source, ...how }: Partial<ConfiguredSource> & Pick<ConfiguredSource, 'source'>,
  { database, log, now, observers }: PartiesOptions,
): RefreshedRates =>
  createRates(observed('rates', source, observers.observePartyCall), {
    log,
    now,
    ...how,
    observeUnusable: (what) => observers.observeUnusable('rates', what),
    keep: (snapshot, freshUntil) =>
      keepCountingRates(database, { asOf: snapshot.asOf, freshUntil, mids: midsOf(snapshot) }),
  });

/** Adapters of parties that are left out. */
const WITHOUT: { readonly [P in Party]: () => Parties[P] } = {
  cardProcessor: leftOut,
  cardholderReview: reviewLeftOut,
  checkout: leftOut,
  payouts: leftOut,
  externalCards: leftOut,
  bank: leftOut,
  exchange: leftOut,
  rates: ratesLeftOut,
};

/**
 * Creates the adapters of all outside parties. A party without a configured address is the sandbox's.
 * @throws StartupError in live mode, naming each party that is neither configured nor left out
 */
export function createParties(options: PartiesOptions): Parties {
  const { database, keyring, mode, documents, stripe, ratesSource, now, partySettings = {} } = options;
  const given: Partial<Parties> = {
    ...(stripe ? { checkout: createStripeCheckout({ ...stripe, now }) } : {}),
    ...(ratesSource ? { rates: keptRates(configuredSource(ratesSource, now), options) } : {}),
    ...options.parties,
  };
  const adapted = PARTIES.filter((party) => given[party] !== undefined);
  const missing = mode === 'live' ? missingParties(partySettings, adapted) : [];
  if (mode === 'live' && !documents && !given.documents)
    missing.push('DOCUMENTS_FOLDER or DOCUMENTS_S3_BUCKET');
  if (missing.length > 0) throw new StartupError(missing.join('\n'));
  const made = PARTIES.map((party) => [party, given[party] ?? createParty(party, options)]);
  return {
    ...(Object.fromEntries(made) as Pick<Parties, Party>),
    chain: given.chain ?? createChains(options),
    mail: given.mail ?? createMailer(options),
    signer: given.signer ?? createLocalSigner({ database, keyring }),
    documents:
      given.documents ?? createDocuments(documents ? createStore(documents) : createMemoryStore(), keyring),
  };
}

function createMailer({ mode, database, keyring, smtp }: PartiesOptions): Mailer {
  const server = smtp && createSmtpMailer(smtp);
  return mode === 'sandbox' ? createMailbox(database, keyring, server) : (server ?? NO_MAILER);
}

function createParty(party: Party, options: PartiesOptions): Parties[Party] {
  const setting = options.partySettings?.[party];
  if (setting === 'off') return WITHOUT[party]();
  const address = setting ? { baseUrl: setting.url, secret: setting.secret } : sandboxParty(options, party);
  return ADAPTERS[party]({ ...address, now: options.now }, options);
}

/** Address and secret of a sandbox party. */
function sandboxParty({ keyring, ...options }: PartiesOptions, party: Party) {
  const base = options.sandboxPartiesUrl;
  const name = PARTY_NAMES[party];
  return { baseUrl: () => base() + partyPath(name), secret: partySecret(keyring, name) };
}
