import { Decimal } from '../../../../../src/kernel/money/money';
import type { Bank } from '../../../../../src/parties/bank/port';
import type { BankCreditWord } from '../../../../../src/parties/bank/word';
import { PartyRefused } from '../../../../../src/process/party-errors';
import type { IbanCreditTerms } from '../../../../../src/transfers/iban/credits/rules';
import { bankingPath, enabled } from '../../../iban/support';
import { oneOf } from '../random';
import type { PostgresProof } from '../stage';
import type { WordDouble } from '../word-double';
import { ibanCreditProof } from './iban-credits';

/** A bank over the double. */
const bankOver = (double: WordDouble<BankCreditWord>, refuses: (key: string) => boolean): Bank => ({
  async ask(creditId) {
    const word = double.ask(creditId);
    return word === 'unknown_to_party' ? word : { word };
  },
  async giveBack({ key }) {
    if (refuses(key)) throw new PartyRefused('not_allowed');
  },
  changes: double.changes,
  verify: () => undefined,
});

/** An IBAN of no client. */
const NOBODYS = 'LT239999900000000002';

export const ibanCreditThroughPostgres: PostgresProof<IbanCreditTerms, BankCreditWord> = {
  proof: ibanCreditProof,
  firstWord: () => {
    throw new Error('nobody orders that somebody pays');
  },
  port: bankOver,
  prepare: async (api, client) => void (await enabled(api, client)),
  async open({ client, double, random }) {
    const { iban } = (await client.call('GET', `${bankingPath(client)}/account`)).body;
    const word: BankCreditWord = {
      id: 'bank-payment',
      recalls: [],
      returns: [],
      iban: oneOf(random, [iban, iban, iban, NOBODYS]),
      amount: new Decimal(100),
      currency: oneOf(random, ['EUR', 'EUR', 'EUR', 'USD']),
    };
    return { id: null, ref: double.foreign(word) };
  },
  requiredStatuses: ['credited', 'recalled', 'returned', 'suspended'],
  requiredDecisions: ['suspense_return'],
  mustBeFound: ({ amount }) => amount.gt(0),
};
