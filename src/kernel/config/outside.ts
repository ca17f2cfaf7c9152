import { type Party, partyVariable } from '../parties';
import { type BankFilesSettings, readBankFiles } from './bank-files';
import { readMailSettings, type SmtpSettings } from './mail';
import {
  missingParties,
  type PartySecrets,
  type PartySettings,
  readPartySecrets,
  readPartySettings,
} from './parties';
import { type RatesSettings, readRatesSettings } from './rates';
import { readStripe, type StripeIssuingSettings, type StripeSettings } from './stripe';
import { type IbanRange, readVirtualIbans } from './virtual-ibans';
import { readWitnessSettings, type WitnessSettings } from './witness';

/** `reaches`: the process calls the parties. `serves`: the process serves the sandbox's parties. */
export type PartyUse = 'reaches' | 'serves' | 'neither';

/** Settings of the systems outside of the installation, beside those of the parties over our own protocol. */
export interface OutsideSettings {
  /** Absent: the checkout that `parties` names, or the sandbox's. */
  stripe: StripeSettings | undefined;
  /** Absent: the card processor and the cardholder review that `parties` names, or the sandbox's. */
  stripeIssuing: StripeIssuingSettings | undefined;
  /** Absent: `parties` names the payouts party and the bank, or they are the sandbox's. */
  bankFiles: BankFilesSettings | undefined;
  /** Absent: the sandbox's range, and none in live mode. */
  ibanRange: IbanRange | undefined;
  /** Absent: rates come from a party. */
  ratesSource: RatesSettings | undefined;
  /** Absent: the sandbox's mailbox. A live installation without a mail server issues no 3-D Secure challenges. */
  smtp: SmtpSettings | undefined;
  /** Absent: nobody outside is told the head of the audit chain. */
  witness: WitnessSettings | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** All settings of other systems. */
export interface FromOutside {
  parties: PartySettings;
  /** Secrets of the parties that this process serves. */
  partySecrets: PartySecrets;
  outside: OutsideSettings;
}

/** @returns the settings, and a line for each wrong variable */
export function readOutside(given: Environment, partyUse: PartyUse): FromOutside & { wrong: string[] } {
  const served = partyUse === 'serves' ? readPartySecrets(given) : { secrets: {}, wrong: [] };
  const read = partyUse === 'serves' ? { settings: {}, wrong: served.wrong } : readPartySettings(given);
  const parties: PartySettings = read.settings;
  const { stripe, stripeIssuing, wrong: wrongStripe } = readStripe(given);
  const { bankFiles, wrong: wrongBankFiles } = readBankFiles(given);
  const { ibanRange, wrong: wrongRange } = readVirtualIbans(given);
  const { ratesSource, wrong: wrongRates } = readRatesSettings(given);
  const { smtp, wrong: wrongMail } = readMailSettings(given);
  const { witness, wrong: wrongWitness } = readWitnessSettings(given);
  const ownAdapter: Party[] = [
    ...(stripe ? (['checkout'] as const) : []),
    ...(stripeIssuing?.processes ? (['cardProcessor'] as const) : []),
    ...(stripeIssuing?.reviews ? (['cardholderReview'] as const) : []),
    ...(bankFiles?.serves ?? []),
    ...(ratesSource ? (['rates'] as const) : []),
  ];
  const mustNotMiss = given['MODE'] === 'live' && partyUse === 'reaches' && read.wrong.length === 0;
  const wrong = [
    ...wrongStripe,
    ...wrongBankFiles,
    ...wrongRange,
    ...wrongRates,
    ...wrongMail,
    ...wrongWitness,
    ...read.wrong,
    ...(stripe && parties.checkout ? ['PARTY_CHECKOUT: must not be given with Stripe'] : []),
    ...(bankFiles?.serves ?? [])
      .filter((party) => parties[party])
      .map((party) => `${partyVariable(party)}: must not be given with BANK_FILES_FOLDER`),
    ...(mustNotMiss ? missingParties(parties, ownAdapter) : []),
  ];
  const outside = { stripe, stripeIssuing, bankFiles, ibanRange, ratesSource, smtp, witness };
  return { parties, partySecrets: served.secrets, outside, wrong };
}
