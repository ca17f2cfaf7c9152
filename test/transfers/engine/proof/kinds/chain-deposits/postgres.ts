import { correct } from '../../../../../../src/accounts/accounts/admin';
import { openMasterAccount } from '../../../../../../src/accounts/accounts/operations';
import { findNetwork, type NetworkTerms, saveNetwork } from '../../../../../../src/chain/networks/operations';
import type { Tx } from '../../../../../../src/kernel/db/database';
import { Problem, unavailable } from '../../../../../../src/kernel/errors';
import { Decimal } from '../../../../../../src/kernel/money/money';
import type { ChainTransfer } from '../../../../../../src/parties/chain/port';
import type { Services } from '../../../../../../src/services';
import { confirmDeposit, findOnChain } from '../../../../../../src/transfers/chain-deposits/confirm';
import { keepTransfers, tellDeposits } from '../../../../../../src/transfers/chain-deposits/discover';
import {
  type ChainDepositTerms,
  type ChainDepositWord,
  chainDepositRef,
} from '../../../../../../src/transfers/chain-deposits/record';
import { refsAbove } from '../../../../../../src/transfers/engine/tables/on-chain';
import type { Client, TestApi } from '../../../../../support/api';
import { oneOf } from '../../random';
import type { Opening, PostgresProof, Stage } from '../../stage';
import type { WordDouble } from '../../word-double';
import { onSomeAccount, provideIn } from '../accounts';
import { partOf } from '../people';
import { screeningAway } from '../screening-away';
import {
  CONFIRMATIONS,
  createNodeDouble,
  isThere,
  type NodeDouble,
  type Paid,
  transferOf,
} from './node-double';
import { chainDepositProof, HEIGHTS_OF_ONE, SPEND } from './proof';

const CHAIN = 'local';

/** Tokens with as many decimals as the ledger has, and with more. */
const TOKENS = [
  { symbol: 'USDT', contract: `0x${'a1'.repeat(20)}`, decimals: 6, minDeposit: new Decimal(1) },
  { symbol: 'USDC', contract: `0x${'b2'.repeat(20)}`, decimals: 18, minDeposit: new Decimal(1) },
];

const NETWORK: NetworkTerms = {
  name: 'Local chain',
  kind: 'evm',
  chainId: 31_337,
  explorerUrl: null,
  enabled: true,
  finality: 'confirmations',
  requestsPerSecond: null,
  feeModel: 'evm',
  rpcUrls: ['http://127.0.0.1:1/'],
  confirmations: CONFIRMATIONS,
  assets: TOKENS,
};

/** The nodes of each stage, by its double. */
const nodes = new WeakMap<WordDouble<ChainDepositWord>, NodeDouble>();

function nodesOf(double: WordDouble<ChainDepositWord>): NodeDouble {
  const known = nodes.get(double) ?? createNodeDouble(double);
  nodes.set(double, known);
  return known;
}

/** An address of an account's wallet, of a released wallet, or of a wallet without an account. */
async function paidAddress({ api, client, random }: Opening<ChainDepositWord>): Promise<string> {
  let address = '';
  const currency = oneOf(random, ['USDT', 'USDT', 'EUR', 'JPY']);
  await onSomeAccount(api, client, { currency, amount: 1 }, random, async (accountId) => {
    paids += 1;
    const body = { chain: CHAIN, asset: 'USDT', accountId, reference: `payer-${paids}` };
    const held = await client.call('POST', '/v1/wallets/allocate', body);
    address = held.body.address;
    return { ...held, body: { ...held.body, id: address } };
  });
  if (random() < 0.25) await client.call('POST', '/v1/wallets/release', { chain: CHAIN, address });
  return address;
}

let paids = 0;

async function open(at: Opening<ChainDepositWord>): Promise<{ id: string | null; ref: string }> {
  const { double, random } = at;
  const to = await paidAddress(at);
  const token = oneOf(random, [...TOKENS, TOKENS[0] as (typeof TOKENS)[0]]);
  paids += 1;
  const paid: Paid = {
    txHash: `0x${paids.toString(16).padStart(64, '0')}`,
    ordinal: oneOf(random, [0, 1]),
    token: token.contract,
    from: `0x${'cc'.repeat(17)}${oneOf(random, ['cccccc', 'cccccc', 'cccccc', 'bad001', 'bad004'])}`,
    to,
    at: new Date(Date.now() + 2_000),
  };
  const ref = chainDepositRef(CHAIN, paid);
  const number = nodesOf(double).pay(ref, paid);
  const whole = `100${'0'.repeat(token.decimals)}`;
  const units = oneOf(random, [whole, whole.replace(/0$/, '1'), '999999']);
  double.say(ref, {
    state: 'seen',
    blockNumber: number * HEIGHTS_OF_ONE + 7,
    blockHash: '0xb7',
    logIndex: 0,
    units,
    absentFrom: null,
    rate: null,
  });
  return { id: null, ref };
}

/** The transfer as the chain has it now. Undefined if it is absent. */
function onChain(double: WordDouble<ChainDepositWord>, ref: string): ChainTransfer | undefined {
  const word = double.now(ref);
  return word && isThere(word) ? transferOf(nodesOf(double).paid(ref), word) : undefined;
}

async function keep(services: Services, tx: Tx, transfers: readonly ChainTransfer[]): Promise<void> {
  const network = await findNetwork(tx, CHAIN);
  if (network) await keepTransfers(services, tx, network, transfers);
}

/** Finds a transfer by its block, sometimes with other transfers, or by its hash. */
async function find(
  { double }: Pick<Stage<ChainDepositTerms, ChainDepositWord>, 'double'>,
  services: Services,
  { ref, random }: { ref: string; random: () => number },
): Promise<void> {
  const transfer = onChain(double, ref);
  if (!transfer) return;
  if (random() < 0.5) {
    const others = random() < 0.5 ? nodesOf(double).newest(4) : [];
    const found = [ref, ...others].flatMap((each) => onChain(double, each) ?? []);
    return services.database.transaction((tx) => keep(services, tx, found));
  }
  const { txHash, to: address } = transfer;
  try {
    const found = await findOnChain(services, { chain: CHAIN, address, txHash }, null);
    await services.database.transaction((tx) => confirmDeposit(services, tx, found, { reach: null }));
  } catch (error) {
    if (!(error instanceof Problem)) throw error; // the chain no longer has it
  }
}

/**
 * Reads the chain again after a reorganisation from its beginning: finds its transfers, and looks at all known
 * deposits.
 */
async function readAgain(
  { api: { services }, double }: Stage<ChainDepositTerms, ChainDepositWord>,
  refs: readonly string[],
) {
  for (const ref of refs) {
    const transfer = onChain(double, ref);
    if (transfer) await services.database.transaction((tx) => keep(services, tx, [transfer]));
  }
  await services.database.transaction(async (tx) =>
    tellDeposits(services, tx, await refsAbove(tx, CHAIN, 0)),
  );
}

/**
 * The word that must be stored. A deposit that was gone may stay gone while absent. A final one stays final in its
 * agreed block.
 */
function heard(
  said: ChainDepositWord,
  stored: ChainDepositWord,
  before: readonly ChainDepositWord[],
): ChainDepositWord {
  const wasGone = before.some(({ state }) => state === 'gone');
  if (said.state === 'gone') return { ...stored, state: 'gone' };
  if (said.state === 'absent')
    return { ...stored, state: wasGone && stored.state === 'gone' ? 'gone' : 'absent' };
  const wasFinal = before.some(({ state, blockHash }) => state === 'final' && blockHash === said.blockHash);
  const stays = said.logIndex === 0 && wasFinal && stored.state === 'final';
  const state = stays ? 'final' : said.state;
  // Nodes give no version, no rate and no screening.
  const { screening: _, ...ofNodes } = said;
  return {
    ...ofNodes,
    version: undefined,
    state,
    absentFrom: null,
    rate: stored.rate,
    ...screeningOf(stored),
  };
}

const screeningOf = ({ screening }: ChainDepositWord) => (screening === undefined ? {} : { screening });

/** Spends a part of the deposit's account, so that it has less than the deposit brought. */
async function spend(tx: Tx, id: string, share: number): Promise<void> {
  const [account] = await tx.query<{ id: string; currency: string; available: string }>(
    `select a.id, a.currency, l.available from transfers t join accounts a on a.id = t.account_id
       join ledger_accounts l on l.id = a.id where t.id = $1 and a.owner_type = 'user'`,
    [id],
  );
  if (!account) return;
  const { id: accountId, currency } = account;
  const amount = partOf({ share, currency }, new Decimal(account.available));
  if (amount.gt(0)) await correct(tx, null, 'withdraw/admin_withdrawal', { accountId, amount }, undefined);
}

async function prepare(api: TestApi, client: Client, n: number): Promise<void> {
  const { database, services } = api;
  await database.transaction(async (tx) => {
    if (n === 0) await saveNetwork(services, tx, CHAIN, NETWORK, 0);
    for (const currency of ['USDT', 'JPY', 'USDC']) await openMasterAccount(tx, client.clientId, currency);
  });
  await provideIn(api, client, ['USDT', 'USDC', 'EUR', 'JPY']);
}

export const chainDepositThroughPostgres: PostgresProof<ChainDepositTerms, ChainDepositWord> = {
  proof: chainDepositProof,
  firstWord: () => {
    throw new Error('a deposit on a chain has no order');
  },
  port: (double) => nodesOf(double).port,
  // Sometimes no rate is fresh enough, or the screening party is away.
  around(given, double) {
    const services = screeningAway(given, double);
    const { rates } = services.parties;
    const rate: typeof rates.rate = (from, to) => (double.wavers() ? stale() : rates.rate(from, to));
    return { ...services, parties: { ...services.parties, rates: { ...rates, rate } } };
  },
  prepare,
  open,
  find,
  readAgain,
  heard,
  act: (_services, tx, id, { kind, share }) => (kind === SPEND ? spend(tx, id, share) : undefined),
  mustBeFound: isThere,
  requiredStatuses: ['confirming', 'credited', 'uncredited'],
  requiredDecisions: [
    'confirmed',
    'screening_cleared',
    'screening_refused',
    'suspense_write_off',
    'vanished',
  ],
};

const stale = (): never => {
  throw unavailable();
};
