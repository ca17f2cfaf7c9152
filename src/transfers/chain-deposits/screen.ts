import type { Services } from '../../services';
import { type Noted, resultsOf } from '../screening/operations';
import { type Result, type Screened, screeningKey } from '../screening/record';
import { type ChainDeposit, type ChainDepositWord, isUnshown } from './record';
import { amountOf, isScreeningOpen } from './rules';

/** A deposit with the nodes' new word about it. */
export interface Told {
  deposit: ChainDeposit;
  word: ChainDepositWord;
}

/**
 * Adds the results of the screening party to final words. Asks for many at once, outside of any transaction. A result
 * for the same units is kept, so a reorganisation orders another screening only after another amount. Each look asks for the
 * present result, because the party may take its result back before the booking and after it.
 * @returns in the given order
 */
export async function screenedWords(services: Services, told: readonly Told[]): Promise<ChainDepositWord[]> {
  const due = told.filter((each) => services.parties.screening.isOn && isDue(each));
  const results = await resultsOf(
    services,
    due.map(({ deposit, word }) => ({ screened: screenedOf(deposit, word), known: knownOf(deposit, word) })),
  );
  const found = new Map(due.map(({ deposit }, place) => [deposit.transfer.id, results[place]]));
  return told.map(({ deposit, word }) =>
    withResult(word, found.get(deposit.transfer.id) ?? kept(deposit, word, services)),
  );
}

/** Two people have decided on a coin that no transaction shows, so it is not screened. */
const isDue = ({ deposit, word }: Told): boolean =>
  word.state === 'final' && !isUnshown(deposit.transfer.terms);

/** Without a screening party nothing waits. A refusal stays. */
const kept = (deposit: ChainDeposit, word: ChainDepositWord, { parties }: Services): Result | undefined => {
  const known = knownOf(deposit, word);
  return known?.status === 'pending' && !parties.screening.isOn ? undefined : known;
};

/** The known result, if it concerns the same units. */
const knownOf = ({ transfer }: ChainDeposit, { units }: ChainDepositWord): Result | undefined =>
  transfer.word?.units === units ? transfer.word.screening : undefined;

const withResult = (
  { screening: _, ...word }: ChainDepositWord,
  screening: Result | undefined,
): ChainDepositWord => (screening === undefined ? word : { ...word, screening });

/** The question about a deposit with these units. */
export function screenedOf({ transfer }: ChainDeposit, { units }: Pick<ChainDepositWord, 'units'>): Screened {
  const { id, accountId, terms } = transfer;
  const { chain, asset, from, address, txHash, ordinal, blockAt } = terms;
  return {
    key: screeningKey(id, units),
    direction: 'inbound',
    chain,
    asset,
    address: from,
    accountId,
    ownAddress: address,
    txHash,
    ordinal,
    blockAt,
    amount: amountOf(terms, { units }),
  };
}

/** The screening of a deposit's present word, to be stored. None where it was not screened. */
export function notedOf(deposit: ChainDeposit): Noted[] {
  const { word, tenantId, id: subject } = deposit.transfer;
  if (!word?.screening) return [];
  const screened = screenedOf(deposit, word);
  const waits = isScreeningOpen(deposit);
  return [{ screened, result: word.screening, tenantId, subject, waits, at: deposit.at }];
}

/** The id of a deposit whose present word has no screening, so that it waits for none that was asked before. */
export const unscreenedOf = ({ transfer: { id, word } }: ChainDeposit): string[] =>
  word === null || word.screening ? [] : [id];
