import { isAccountClosed } from '../../accounts/accounts/operations';
import { noteChanges } from '../../chain/holdings/operations';
import { followedChains } from '../../chain/holdings/places';
import type { Tx } from '../../kernel/db/database';
import { processOfRecord } from '../../process/workflow-command';
import { statusEvent } from '../engine/events';
import type { NewDecision, ProcessSubject, TransferKind } from '../engine/kind';
import { holdLargeCredit } from './held-credit';
import { holdingOf } from './holding';
import { lookOnChain } from './look';
import {
  type ChainDeposit,
  type ChainDepositTerms,
  type ChainDepositWord,
  chainDepositTerms,
  chainDepositWord,
} from './record';
import * as rules from './rules';

/**
 * Money that came to an address of the pool (decisions part 4, Wallets). Its record is made where it is found: by the blocks
 * (src/watch/chains), or by its hash. One that no allocation had the wallet for is the same kind without an account: all of it
 * stands in suspense. The chain takes no orders: what waits in suspense is credited, written off or recovered, and is sent back
 * by a sweep.
 */
export const chainDepositKind: TransferKind<ChainDepositTerms, ChainDepositWord> = {
  name: 'chain_deposit',
  party: 'chain',
  process: processOfRecord<ProcessSubject>({
    workflow: 'chainDeposit',
    prefix: 'chain-deposit-',
    summary: 'Deposit on a chain',
  }),
  follower: {
    followed: ({ database, now }) => followedChains(database, now()),
    nameOf: ({ transfer }) => transfer.terms.chain,
  },
  // No block tells when there is a rate.
  unlisted: (_services, deposit) => rules.waitsForRate(deposit),
  terms: chainDepositTerms,
  word: chainDepositWord,
  components: rules.COMPONENTS,
  transitions: rules.CHAIN_DEPOSIT_TRANSITIONS,
  doors: ['credit', 'write_off', 'recover'],
  choose: rules.choose,
  consider,
  // What it takes back counts at once: nodes have agreed on it for many blocks.
  measures: () => ({}),
  // Whole units: the ledger's decimals are ours to choose.
  amounts: () => [],
  parts: () => [],
  trigger: rules.trigger,
  failure: rules.failure,
  position: rules.position,
  orders: () => [],
  isOpen: rules.isOpen,
  deadline: () => null,
  notices: rules.notices,
  kept: (tx, { transfer }, holds) => noteChanges(tx, [holdingOf(transfer, holds)]),
  told: (deposit, previous) => statusEvent(deposit, previous, 'transfer'),
  give: () => Promise.reject(new Error('a chain takes no orders of a deposit')),
  ask: async (services, deposit) => ({ word: await lookOnChain(services, deposit) }),
};

/** Whether a closed account would be credited, and whether people must decide on the credit first. */
async function consider(tx: Tx, deposit: ChainDeposit): Promise<NewDecision | undefined> {
  const { accountId } = deposit.transfer;
  const isOwed = rules.isDueForCredit(deposit) && accountId !== null;
  if (isOwed && (await isAccountClosed(tx, accountId))) return { kind: rules.ACCOUNT_CLOSED };
  return holdLargeCredit(tx, deposit);
}
