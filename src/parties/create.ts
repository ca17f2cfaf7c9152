import type { DocumentsSettings } from '../kernel/config/config';
import type { OutsideSettings } from '../kernel/config/outside';
import { missingParties, type PartySettings } from '../kernel/config/parties';
import { PARTIES, PARTY_NAMES, type Party } from '../kernel/parties';
import type { Keyring } from '../kernel/security/keyring';
import { StartupError } from '../kernel/startup-error';
import { createStripeCardProcessor } from './card-processor/stripe/processor';
import type { CityName } from './cardholder-review/stripe/person';
import { createStripeRegistry } from './cardholder-review/stripe/registry';
import { createChains } from './chain/create';
import { createStripeCheckout } from './checkout/stripe/checkout';
import type { PartyWiring } from './define';
import { PARTY_DEFINITIONS } from './definitions';
import { createMemoryStore } from './documents/memory';
import { createDocuments } from './documents/sealed';
import { createStore } from './documents/settings';
import { createBankFiles } from './iso20022/create';
import { NO_MAILER } from './mail/none';
import type { Mailer } from './mail/port';
import { createMailbox } from './mail/sandbox/mailbox';
import { createSmtpMailer } from './mail/smtp';
import type { Parties } from './parties';
import { configuredSource } from './rates/configured';
import { keptRates } from './rates/kept';
import { partyPath, partySecret } from './sandbox/mount';
import { createRemoteSigner } from './signer/remote';
import { createWitness } from './witness/create';

export interface PartiesOptions extends PartyWiring, Partial<OutsideSettings> {
  mode: 'sandbox' | 'live';
  keyring: Keyring;
  /** The machine's time, for signatures and for parties outside of the sandbox. */
  machineNow: () => Date;
  /** Replace the adapters that would be created. */
  parties?: Partial<Parties> | undefined;
  documents?: DocumentsSettings | undefined;
  /** Needed where Stripe registers cardholders. */
  cityName?: CityName | undefined;
  settlementDifferenceSeconds?: number | undefined;
  partySettings?: PartySettings | undefined;
  /** Where the sandbox's parties are served, without a trailing slash. */
  sandboxPartiesUrl(): string;
}

/**
 * Creates the adapters of all outside parties. A party without a configured address is the sandbox's.
 * @throws StartupError in live mode, naming each party that is neither configured nor left out
 */
export function createParties(options: PartiesOptions): Parties {
  const { database, keyring, mode, documents, stripe, bankFiles, ratesSource, partySettings = {} } = options;
  const outside = { ...options, now: options.machineNow };
  const given: Partial<Parties> = {
    ...(stripe ? { checkout: createStripeCheckout({ ...stripe, now: outside.now }) } : {}),
    ...issuingParties(outside),
    ...(bankFiles ? createBankFiles(bankFiles, options) : {}),
    ...(ratesSource ? { rates: keptRates(configuredSource(ratesSource, outside.now), outside) } : {}),
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
    witness: given.witness ?? createWitness(options.witness, options.machineNow),
    signer: given.signer ?? createRemoteSigner({ database, keyring }),
    documents:
      given.documents ?? createDocuments(documents ? createStore(documents) : createMemoryStore(), keyring),
  };
}

function issuingParties({
  stripeIssuing: issuing,
  database,
  now,
  cityName,
}: PartiesOptions): Partial<Parties> {
  if (!issuing) return {};
  const options = { ...issuing, database, now };
  return {
    ...(issuing.processes ? { cardProcessor: createStripeCardProcessor(options) } : {}),
    ...(issuing.reviews
      ? { cardholderReview: createStripeRegistry({ ...options, cityName: cityName ?? (() => undefined) }) }
      : {}),
  };
}

function createMailer({ mode, database, keyring, smtp }: PartiesOptions): Mailer {
  const server = smtp && createSmtpMailer(smtp);
  return mode === 'sandbox' ? createMailbox(database, keyring, server) : (server ?? NO_MAILER);
}

function createParty(party: Party, options: PartiesOptions): Parties[Party] {
  const setting = options.partySettings?.[party];
  const { adapter, without } = PARTY_DEFINITIONS[party];
  if (setting === 'off') return without();
  const address = setting ? { baseUrl: setting.url, secret: setting.secret } : sandboxParty(options, party);
  const now = options.machineNow;
  return adapter({ ...address, now }, setting ? { ...options, now } : options);
}

/** Address and secret of a sandbox party. */
function sandboxParty({ keyring, ...options }: PartiesOptions, party: Party) {
  const base = options.sandboxPartiesUrl;
  const name = PARTY_NAMES[party];
  return { baseUrl: () => base() + partyPath(name), secret: partySecret(keyring, name) };
}
