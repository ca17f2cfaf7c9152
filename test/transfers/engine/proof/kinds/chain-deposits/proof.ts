import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Decimal, ZERO } from '../../../../../../src/kernel/money/money';
import { chainDepositKind } from '../../../../../../src/transfers/chain-deposits/kind';
import type {
  ChainDeposit,
  ChainDepositTerms,
  ChainDepositWord,
} from '../../../../../../src/transfers/chain-deposits/record';
import type { Holding } from '../../../../../../src/transfers/engine/books/position';
import type { NewDecision } from '../../../../../../src/transfers/engine/kind';
import type { Decision } from '../../../../../../src/transfers/engine/record';
import { SCREENING_CLEARED, SCREENING_REFUSED } from '../../../../../../src/transfers/screening/record';
import { type Exchange, hasResolutions, smallestOf, totalOf } from '../../../books';
import { begun, START } from '../../../look';
import { CLEAR, type KindProof, REFUSE } from '../../kind-proof';
import { actsOf, commonDecision } from '../people';

const TERMS: ChainDepositTerms = {
  chain: 'local',
  txHash: '0x1',
  ordinal: 0,
  address: '0xA',
  from: '0xB',
  token: '0xT',
  asset: 'USDT',
  decimals: 6,
  units: '100000000',
  amount: new Decimal(100),
  dust: '0',
  blockNumber: 7,
  blockHash: '0xb7',
  blockAt: START.toISOString(),
  logIndex: 0,
  allocationId: 'wla_1',
  accountCurrency: 'USDT',
  minDeposit: new Decimal(1),
  confirmations: 3,
};

const fresh = (terms: Partial<ChainDepositTerms>, accountId: string | null = 'acc_1'): ChainDeposit =>
  begun<ChainDepositTerms, ChainDepositWord>({
    kind: 'chain_deposit',
    status: 'confirming',
    terms: { ...TERMS, ...terms },
    partyRef: 'local:0x1:0',
    orderedAt: START,
    accountId,
    tenantId: accountId && 'cli_1',
  });

/** The act that spends the deposit's money from its account. */
export const SPEND = 'spend';

/** The decisions on the screening: refusals of the party or of people, and clearances of people. */
const judgements = ({ decisions }: ChainDeposit): Decision[] =>
  decisions.filter(({ kind }) => kind === SCREENING_REFUSED || kind === SCREENING_CLEARED);

/** The decision of an act on the screening. Undefined where the deposit waits for nobody. */
function screeningDecision(deposit: ChainDeposit, kind: string): NewDecision | undefined {
  const { word } = deposit.transfer;
  if (word === null) return undefined;
  const { units, state, screening } = word;
  const last = judgements(deposit).at(-1);
  const isRefused = last?.kind === SCREENING_REFUSED;
  const isCleared = last?.kind === SCREENING_CLEARED && last.data['units'] === units;
  const isOpen = screening?.status === 'pending' && state !== 'gone' && !isRefused && !isCleared;
  const isBooked = turns(deposit.decisions).at(-1)?.kind === 'confirmed';
  if (kind === REFUSE) return isOpen && !isBooked ? { kind: SCREENING_REFUSED, data: { units } } : undefined;
  const isTheirs = isOpen || (isRefused && (isBooked || state === 'final') && !hasResolutions(deposit));
  return isTheirs ? { kind: SCREENING_CLEARED, data: { units } } : undefined;
}

/** Heights of the chain that belong to one deposit, so that a height names its deposit. */
export const HEIGHTS_OF_ONE = 100;

const atHeight = (of: { blockNumber: number } | null, height: number) =>
  Math.floor((of?.blockNumber ?? 0) / HEIGHTS_OF_ONE) * HEIGHTS_OF_ONE + height;

/** An amount of 18 decimals, which are more than the ledger has. */
const FINE = { decimals: 18, units: '100000000000000000001', dust: '1' };

/** Results of the screening party. Null: nobody was asked. */
const screened: fc.Arbitrary<Pick<ChainDepositWord, 'screening'>> = fc
  .constantFrom(null, null, 'cleared', 'cleared', 'pending', 'refused')
  .map((status) => (status === null ? {} : { screening: { status } }) as Pick<ChainDepositWord, 'screening'>);

/** What nodes could say. Most words repeat the transfer as it was found. */
const said = fc.record({
  state: fc.constantFrom('seen', 'final', 'final', 'final', 'absent', 'gone'),
  blockNumber: fc.constantFrom(7, 7, 8),
  blockHash: fc.constantFrom('0xb7', '0xb7', '0xc7'),
  logIndex: fc.constantFrom(0, 4),
  units: fc.constantFrom('', '', '', '', '50000000', '250000000', '999999', '3'),
  absentFrom: fc.constantFrom(null, 9),
  rate: fc.constantFrom('0.9', '0.9', '1.23456789012345', null).map((rate) => rate && new Decimal(rate)),
} as const);

/** All words that nodes and the screening party could give. */
const words: fc.Arbitrary<ChainDepositWord> = fc
  .tuple(said, screened)
  .map(([one, other]) => ({ ...one, ...other }));

const amountOf = ({ decimals }: ChainDepositTerms, units: string): Decimal =>
  new Decimal(units).dividedBy(new Decimal(10).pow(decimals)).toDecimalPlaces(6, Decimal.ROUND_DOWN);

const turns = (decisions: readonly Decision[]) =>
  decisions.filter(({ kind }) => kind === 'confirmed' || kind === 'vanished');

/** The chain's position: a deposit counts once it is final, until it is gone. */
function positionOfChain(
  { terms, word }: Pick<ChainDeposit['transfer'], 'terms' | 'word'>,
  currency: string,
  decisions: readonly Decision[] = [],
): Decimal {
  const isThere = turns(decisions).at(-1)?.kind === 'confirmed';
  return word !== null && isThere && currency === terms.asset ? amountOf(terms, word.units) : ZERO;
}

function exchange({ transfer, decisions }: ChainDeposit): Exchange | null {
  const to = transfer.terms.accountCurrency;
  const rate = turns(decisions)[0]?.data['rate'];
  if (to === null || typeof rate !== 'string') return null;
  return { from: 'USDT', to, rate: new Decimal(rate), rounding: smallestOf(to).times(2) };
}

function asOnChain(deposit: ChainDeposit, books: readonly Holding[], impossible: boolean): void {
  assert.ok(!impossible, 'every word of a chain is possible');
  const { word, status, accountId } = deposit.transfer;
  const credited = totalOf(books, 'credited');
  if (accountId === null) assert.equal(credited.toFixed(), '0', 'credited without an account');
  const made = turns(deposit.decisions);
  // The decisions alternate: final, gone, final again.
  for (const [n, { kind }] of made.entries()) assert.equal(kind, n % 2 === 0 ? 'confirmed' : 'vanished');
  assert.equal(status === 'confirming', made.length === 0);
  assert.equal(credited.gt(0), status === 'credited' && credited.gt(0), `credited while it is ${status}`);
  const judged = judgements(deposit);
  const isRefused = judged.at(-1)?.kind === SCREENING_REFUSED;
  if (isRefused) assert.equal(credited.toFixed(), '0', 'credited although the screening refuses it');
  const isPending = word?.screening?.status === 'pending' && judged.length === 0;
  const isJudged = word?.screening?.status !== 'pending' || isRefused;
  if (isPending && made.length === 0) assert.deepEqual(books, [], 'booked before the screening has ended');
  if (word?.state === 'final' && isJudged && (made.length > 0 || word.rate !== null))
    assert.equal(made.at(-1)?.kind, 'confirmed', 'a final deposit is confirmed');
  if (word?.state === 'gone')
    assert.equal(totalOf(books, 'pool@local').toFixed(), '0', 'the pool is not empty');
  if (word?.state === 'gone' && !hasResolutions(deposit)) assert.deepEqual(books, []);
}

export const chainDepositProof: KindProof<ChainDepositTerms, ChainDepositWord> = {
  kind: chainDepositKind,
  fresh: fc.constantFrom(
    ...[fresh({}), fresh(FINE), fresh({ accountCurrency: 'EUR' }), fresh({ accountCurrency: 'JPY' })],
    fresh({ units: '999999', amount: new Decimal('0.999999') }),
    fresh({ allocationId: null, accountCurrency: null }, null),
  ),
  words,
  // Spending is no decision of the deposit. Doors are frequent, because much of a deposit's money is in suspense.
  acts: actsOf(
    [
      [SPEND, 2],
      [CLEAR, 4],
      [REFUSE, 2],
      ['write_off', 6],
      ['recover', 4],
    ],
    ...['USDT', 'USDT', 'EUR'],
  ),
  addressed(word, { situation, before }) {
    const last = situation?.transfer.terms ?? before;
    return {
      ...word,
      blockNumber: atHeight(last, word.blockNumber),
      absentFrom: word.absentFrom && atHeight(last, word.absentFrom),
      // A word without units repeats the last units, or those at the discovery.
      units: word.units || (word.state === 'gone' && before?.units) || last?.units || '0',
    };
  },
  decision: (situation, act, heard) =>
    act.kind === CLEAR || act.kind === REFUSE
      ? screeningDecision(situation, act.kind)
      : commonDecision(chainDepositKind, situation, act, heard),
  currencies: ['USDT', 'USDC', 'EUR', 'JPY'],
  positionOfParty: positionOfChain,
  neverNegative: ['credited'],
  // The first status. Only operators lead back to it, by a repeated report, and nodes never do.
  never: ['confirming'],
  exchange,
  also: asOnChain,
};
