import { nodeOf } from '../../chain/networks/nodes/nodes';
import { Problem } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import { once } from '../../kernel/once';
import { areMost, depthOf, isAgreed, isSettled, type Mined } from '../../parties/chain/agreement';
import type { Block, ChainNode, ChainTransaction, ChainTransfer } from '../../parties/chain/port';
import type { Services } from '../../services';
import {
  type ChainDeposit,
  type ChainDepositTerms,
  type ChainDepositWord,
  firstWord,
  isUnshown,
} from './record';
import { needsRate } from './rules';
import { screenedWords } from './screen';
import { isTakenBack, wordOfPeople } from './word-of-people';

/** The questions of a look. */
type Asked = Pick<ChainNode, 'transactionOfEach' | 'agreedBlock' | 'taggedHeight' | 'head'>;

/**
 * Asks the nodes about a deposit. When they disagree or lag, the known state stays, but counts as not final. A deposit
 * that people have taken back stays gone.
 * @throws ChainAway when no node answers
 */
export async function lookOnChain(services: Services, deposit: ChainDeposit): Promise<ChainDepositWord> {
  const { node } = await nodeOf(services, services.database, deposit.transfer.terms.chain);
  const word = await wordOn(services, node, deposit);
  const [screened = word] = await screenedWords(services, [{ deposit, word }]);
  return screened;
}

/**
 * As {@link lookOnChain} for several deposits. Deposits of one transaction or one block share the nodes' answers.
 * @returns by id; without the deposits whose look has failed, because no node answers or otherwise
 */
export async function lookTogether(
  services: Services,
  deposits: readonly ChainDeposit[],
): Promise<ReadonlyMap<string, ChainDepositWord>> {
  const words = new Map<string, ChainDepositWord>();
  for (const chain of new Set(deposits.map(({ transfer }) => transfer.terms.chain))) {
    const { node } = await nodeOf(services, services.database, chain);
    const shared = sharing(node);
    const looks = deposits
      .filter(({ transfer }) => transfer.terms.chain === chain)
      .map(async (deposit) => ({ deposit, word: await wordOn(services, shared, deposit) }));
    const told = (await Promise.allSettled(looks)).flatMap((look) =>
      look.status === 'fulfilled' ? [look.value] : [],
    );
    const screened = await screenedWords(services, told);
    for (const [place, { deposit, word }] of told.entries())
      words.set(deposit.transfer.id, screened[place] ?? word);
  }
  return words;
}

/** Asks each thing once. For one round of looks only, because answers change with the next block. */
function sharing(node: ChainNode): Asked {
  const head = once(() => node.head());
  return {
    transactionOfEach: once((hash) => node.transactionOfEach(hash)),
    agreedBlock: once((number) => node.agreedBlock(number)),
    taggedHeight: once((tag) => node.taggedHeight(tag)),
    head: () => head(undefined),
  };
}

async function wordOn(services: Services, node: Asked, deposit: ChainDeposit): Promise<ChainDepositWord> {
  const { terms } = deposit.transfer;
  if (isTakenBack(deposit)) return wordOfPeople(deposit);
  const { said, of } = await node.transactionOfEach(terms.txHash);
  const told = said.map((each) => transferOf(each, terms));
  const known = deposit.transfer.word ?? firstWord(terms);
  const isTold = areMost({ said: said.length, of });
  if (told.every((each) => each === undefined)) return missing(node, terms, { known, isTold });
  const [found] = told;
  if (!found || !isTold || !told.every((each) => isSame(each, found))) return unsettled(known);
  const { block, logIndex } = found;
  const here = { blockNumber: block.number, blockHash: block.hash, logIndex, units: found.units.toString() };
  const wasFinal = known.state === 'final' && known.blockHash === block.hash;
  const isFinal = wasFinal ? await isAgreed(node, block) : await isDeep(node, block, terms);
  const state = isFinal ? 'final' : 'seen';
  const screening = known.units === here.units ? known.screening : undefined;
  const word = { state, ...here, absentFrom: null, rate: known.rate } as const;
  return rated(services, deposit, screening === undefined ? word : { ...word, screening });
}

/** Adds the present rate to a final word that needs one. */
const rated = async (services: Services, deposit: ChainDeposit, word: ChainDepositWord) =>
  word.state === 'final' && needsRate(deposit)
    ? { ...word, rate: await rateOf(services, deposit.transfer.terms) }
    : word;

const isSame = (one: ChainTransfer | undefined, other: ChainTransfer) =>
  one?.block.hash === other.block.hash && one.units === other.units && one.logIndex === other.logIndex;

/** Finds the deposit's own transfer, because a transaction mined again may move something else. */
function transferOf(transaction: ChainTransaction, terms: ChainDepositTerms): ChainTransfer | undefined {
  if (transaction.status !== 'succeeded') return undefined;
  if (isUnshown(terms)) return unshownBy(transaction, terms);
  return transaction.transfers.find(
    ({ ordinal, to, token, units }) =>
      ordinal === terms.ordinal && to === terms.address && token === terms.token && units > 0n,
  );
}

/** The balances have proven the coin for one block only. In another block the transaction may move something else. */
function unshownBy({ block }: Mined, terms: ChainDepositTerms): ChainTransfer | undefined {
  if (block.hash !== terms.blockHash) return undefined;
  const { txHash, ordinal, token, from, address: to, units } = terms;
  return { txHash, ordinal, logIndex: null, token, from, to, units: BigInt(units), block };
}

const isDeep = async (
  node: Asked,
  block: Block,
  { confirmations, finality = 'confirmations' }: ChainDepositTerms,
) => (await depthOf(node, block, { confirmations, finality })) === 'final';

/**
 * Judges a deposit that the asked node has in no block. The blocks that all nodes agree on tell whether that node only
 * lags.
 */
async function missing(
  node: Asked,
  { confirmations }: ChainDepositTerms,
  { known, isTold }: { known: ChainDepositWord; isTold: boolean },
): Promise<ChainDepositWord> {
  const own = await node.agreedBlock(known.blockNumber);
  const isWhereItWas = own.hash === known.blockHash && known.absentFrom === null;
  if (known.state === 'gone') return known;
  if (own.isSplit || isWhereItWas) return unsettled(known);
  const absentFrom = known.absentFrom ?? Math.max((await node.head()).number, known.blockNumber);
  const top = await node.agreedBlock(absentFrom + 2 * confirmations);
  const isReplaced = own.hash !== null && own.hash !== known.blockHash;
  const isLong = isSettled(top) && top.hash !== null;
  const isGone = isTold && isReplaced && isLong && isSettled(own);
  return { ...known, absentFrom, state: isGone ? 'gone' : 'absent' };
}

/** State while nodes disagree. Every block tells the deposit to look again, and nothing booked moves. */
const unsettled = (known: ChainDepositWord): ChainDepositWord =>
  known.state === 'final' || known.state === 'gone' ? { ...known, state: 'seen', absentFrom: null } : known;

/** The present bid. Null when no rate is fresh enough. */
async function rateOf(
  { parties: { rates } }: Services,
  { asset, accountCurrency }: ChainDepositTerms,
): Promise<Decimal | null> {
  try {
    await rates.ready();
    return rates.rate(asset, accountCurrency ?? asset).bid;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
