import { z } from 'zod';
import { moneyText } from '../../kernel/money/money';
import { amount, identifier, text } from '../../kernel/wire/schemas';
import { type Decision, decision, installation, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import type { Services } from '../../services';
import { openTransfers } from '../engine/desk';
import { lockTransfer, readSituation } from '../engine/read';
import { transferStory } from '../engine/story';
import { assertNotShown, provenCoin } from './balance-proof';
import {
  creditDeposit,
  recordDeposit,
  takeBackDeposit,
  toTakeBack,
  weighCredit,
  weighDeposit,
} from './by-person';
import type { Carried } from './discover';
import { CHAIN_CREDIT, creditRestsOn } from './held-credit';
import { chainDepositKind } from './kind';
import type { ChainDeposit } from './record';
import { amountOf } from './rules';
import { chainDepositView } from './view';
import { lastSaid } from './word-of-people';

type ChainDepositServices = Pick<Services, 'database' | 'keyring' | 'commands' | 'parties' | 'now'>;

const columns = columnsOf<ChainDeposit>();

/** The desk of deposits on chains: coins that no transaction shows, and credits above the limit. */
export function chainDepositDesk(services: ChainDepositServices): Desk {
  const open = openTransfers(services, {
    name: 'chain-deposits',
    kind: chainDepositKind,
    open: ['confirming'],
    columns: {
      chain: columns.text('chain', ({ transfer }) => transfer.terms.chain),
      amount: columns.money('amount', moneyOf),
    },
    decisions: [CHAIN_CREDIT],
  });
  return defineDesk({
    name: 'chain-deposit',
    title: 'Deposits on chains',
    lists: [open.list],
    records: [
      record({
        kind: 'chainDeposit',
        title: 'A deposit on a chain',
        story: (id, limit) =>
          transferStory(services, chainDepositKind, {
            id,
            limit,
            viewOf: async (deposit) => chainDepositView(deposit as ChainDeposit),
          }),
      }),
    ],
    decisions: [recordDecision(services), takeBackDecision(services), creditDecision(services)],
    figures: open.figures,
  });
}

const moneyOf = ({ transfer: { terms, word } }: ChainDeposit) => ({
  amount: amountOf(terms, word ?? terms),
  currency: terms.asset,
});

const subjectOf = ({ now }: ChainDepositServices): SubjectSpec<ChainDeposit> => ({
  noun: 'deposit',
  kinds: ['chainDeposit'],
  read: (sql, id) => readSituation(sql, chainDepositKind, id, now()),
  async lock(tx, id) {
    const locked = await lockTransfer(tx, chainDepositKind, id, now());
    return locked?.situation as ChainDeposit | undefined;
  },
  tenantOf: ({ transfer }) => transfer.tenantId,
});

const recordInput = z.strictObject({
  chain: text(100).min(1).meta({ description: 'Its name, for instance local.' }),
  address: text(100).min(1).meta({ description: 'The wallet that the coin has come to.' }),
  amount: amount().meta({ description: 'As the chain has it.' }),
  hash: text(100).min(1).meta({ description: 'Of the transaction in which a contract passed it on.' }),
  over: identifier('dec_01jz0000000000000000000000')
    .nullish()
    .meta({ description: 'The decision that took the coin back before. Found by itself.' }),
});

type RecordInput = z.output<typeof recordInput>;

/**
 * A native coin that a contract has passed on to a wallet, which no transaction of the block shows. The balances before
 * and after the block prove it when one operator asks, and again when another approves.
 */
function recordDecision(services: ChainDepositServices): Decision {
  const statedCoin = ({ chain, amount: stated }: RecordInput, coin: Carried) => ({
    chain,
    amount: stated,
    coin,
  });
  return decision<object, RecordInput, Carried>({
    name: 'chain-deposit.record',
    title:
      'books native coin that a contract has passed on to a wallet, which no transaction shows; the balances at both ends of its block must prove the amount',
    permission: 'chain',
    subject: installation,
    input: recordInput,
    takesTwo: 'always',
    restsOn: () => ({}),
    prove: ({ input: { chain, address, hash } }) => provenCoin(services, { chain, address, txHash: hash }),
    async kept(tx, { input, proof, at }) {
      const { over } = await weighDeposit(services.keyring, tx, statedCoin(input, proof), at);
      return { ...input, amount: input.amount.toFixed(), over };
    },
    async weigh(tx, { input, proof, at }) {
      const weighed = await weighDeposit(services.keyring, tx, statedCoin(input, proof), at);
      return { amount: weighed.amount, currency: weighed.currency, ever: false };
    },
    async preview(tx, { input, proof, at }) {
      const {
        amount: booked,
        currency,
        owner,
      } = await weighDeposit(services.keyring, tx, statedCoin(input, proof), at);
      return [
        {
          field: owner ? `account ${owner}` : 'suspense',
          from: null,
          to: moneyText({ amount: booked, currency }),
        },
      ];
    },
    async execute(tx, { input, proof, at }, { decidedBy, reason }) {
      const stated = statedCoin(input, proof);
      const over =
        input.over === undefined ? (await weighDeposit(services.keyring, tx, stated, at)).over : input.over;
      const by = { decidedBy, reason: reason ?? '' };
      const { transfer } = await recordDeposit(services, tx, { ...stated, over }, by);
      const { id, tenantId, accountId, status } = transfer;
      const { blockNumber, blockHash } = transfer.terms;
      const { chain, address, hash: txHash } = input;
      const given = { chain, address, txHash, over, amount: input.amount.toFixed() };
      return {
        about: { id, tenantId },
        after: { ...given, blockNumber, blockHash, accountId, status },
        result: { id, status },
      };
    },
  });
}

const takeBackDecision = (services: ChainDepositServices): Decision =>
  decision<ChainDeposit>({
    name: 'chain-deposit.take-back',
    title:
      'the coin is not there after all: what was credited is debited, whatever the balance; refused while the balances show it',
    permission: 'chain',
    subject: subjectOf(services),
    takesTwo: 'always',
    restsOn: (deposit) => ({
      status: deposit.transfer.status,
      decision: lastSaid(deposit)?.id ?? null,
    }),
    async prove({ id }) {
      const deposit = await toTakeBack(services.database, id, services.now());
      await assertNotShown(services, deposit.transfer.terms);
    },
    async weigh(tx, { id, at }) {
      const { terms } = (await toTakeBack(tx, id, at)).transfer;
      return { amount: terms.amount, currency: terms.asset, ever: true };
    },
    async preview(tx, { id, at }) {
      const deposit = await toTakeBack(tx, id, at);
      return [
        { field: 'status', from: deposit.transfer.status, to: 'uncredited' },
        { field: 'booked', from: moneyText(moneyOf(deposit)), to: null },
      ];
    },
    async execute(tx, { id, subject }, { decidedBy, reason }) {
      const given = { id, word: lastSaid(subject)?.id };
      const { before, after } = await takeBackDeposit(services, tx, given, {
        decidedBy,
        reason: reason ?? '',
      });
      return doneOf(before, after);
    },
  });

/** A credit above the limit, which waits for two operators. After a rejection an operator may ask for it again. */
const creditDecision = (services: ChainDepositServices): Decision =>
  decision<ChainDeposit>({
    name: CHAIN_CREDIT,
    title: 'asks again for a credit above the limit that was rejected',
    permission: 'chain',
    subject: subjectOf(services),
    takesTwo: 'always',
    restsOn: creditRestsOn,
    async weigh(tx, { id, at }) {
      const { amount: held, currency } = await weighCredit(tx, id, at);
      return { amount: held, currency, ever: true };
    },
    async preview(tx, { id, subject, at }) {
      const { amount: held, currency } = await weighCredit(tx, id, at);
      return [
        { field: 'status', from: subject.transfer.status, to: 'credited' },
        { field: 'credited', from: null, to: moneyText({ amount: held, currency }) },
      ];
    },
    async execute(tx, { id, at }, { decidedBy, reason }) {
      const { units } = await weighCredit(tx, id, at);
      const by = { decidedBy, reason: reason ?? '' };
      const { before, after } = await creditDeposit(services, tx, { id, units }, by);
      return doneOf(before, after);
    },
  });

const doneOf = (before: ChainDeposit, { transfer: { id, status } }: ChainDeposit) => ({
  before: { status: before.transfer.status },
  after: { status },
  result: { id, status },
});
