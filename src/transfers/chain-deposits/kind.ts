import { isAccountClosed } from '../../accounts/accounts/operations';
import { noteChanges } from '../../chain/holdings/operations';
import { followedChains } from '../../chain/holdings/read-position';
import type { Tx } from '../../kernel/db/database';
import { processOfRecord } from '../../process/workflow-command';
import { statusEvent } from '../engine/events';
import type { NewDecision, ProcessSubject, TransferKind } from '../engine/kind';
import { endWaits, noteScreenings } from '../screening/operations';
import { holdLargeCredit } from './held-credit';
import { holdingOf, withheld } from './holding';
import { depositScreening } from './judge-screening';
import { lookOnChain, lookTogether } from './look';
import {
  type ChainDeposit,
  type ChainDepositTerms,
  type ChainDepositWord,
  chainDepositTerms,
  chainDepositWord,
} from './record';
import * as rules from './rules';
import { notedOf, unscreenedOf } from './screen';

/**
 * Money that arrived at a pool address (decisions part 4, Wallets). The watcher (src/watch/chains) or a claim by hash
 * opens the deposit. Without an allocation at that time the deposit has no account, and stands in suspense. The chain
 * takes no orders, so suspense ends by credit, write-off or recovery; a sweep moves the coins.
 */
export const chainDepositKind: TransferKind<ChainDepositTerms, ChainDepositWord> = {
  name: 'chain_deposit',
  idKind: 'chainDeposit',
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
  // No block reports that a rate is available, or that a screening has ended.
  unlisted: (_services, deposit) => rules.waitsForRate(deposit) || rules.isScreeningOpen(deposit),
  terms: chainDepositTerms,
  word: chainDepositWord,
  components: rules.COMPONENTS,
  transitions: rules.CHAIN_DEPOSIT_TRANSITIONS,
  resolutions: ['credit', 'write_off', 'recover'],
  choose: rules.choose,
  consider,
  // A withdrawal of the transfer counts at once, because nodes have agreed on it for many blocks.
  measures: () => ({}),
  // Not checked, because units are integers and the ledger's decimals are our choice.
  amounts: () => [],
  parts: () => [],
  trigger: rules.trigger,
  failure: rules.failure,
  position: rules.position,
  orders: () => [],
  isOpen: rules.isOpen,
  deadline: () => null,
  notices: rules.notices,
  passed: rules.passed,
  screening: depositScreening,
  kept(tx, all) {
    noteChanges(
      tx,
      all.map(({ situation, holds }) => ({
        ...holdingOf(situation.transfer, holds),
        withheld: withheld(situation),
      })),
    );
    noteScreenings(
      tx,
      all.flatMap(({ situation }) => notedOf(situation)),
    );
    endWaits(
      tx,
      all.flatMap(({ situation }) => unscreenedOf(situation)),
    );
  },
  eventsOf: (deposit, previous) => statusEvent(deposit, previous, 'transfer'),
  give: () => Promise.reject(new Error('a chain takes no orders')),
  ask: async (services, deposit) => ({ word: await lookOnChain(services, deposit) }),
  askAll: lookTogether,
};

/** Notes a closed account before its credit, or holds a large credit for approval. */
async function consider(tx: Tx, deposit: ChainDeposit): Promise<NewDecision | undefined> {
  const { accountId } = deposit.transfer;
  const isOwed = rules.isDueForCredit(deposit) && accountId !== null;
  if (isOwed && (await isAccountClosed(tx, accountId))) return { kind: rules.ACCOUNT_CLOSED };
  return holdLargeCredit(tx, deposit);
}
