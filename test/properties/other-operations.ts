import { correct } from '../../src/accounts/accounts/admin';
import { transfer } from '../../src/accounts/accounts/internal-transfer';
import { requireAccount } from '../../src/accounts/accounts/operations';
import { exchange } from '../../src/accounts/exchange/operations';
import { quoteExchange } from '../../src/accounts/exchange/quote';
import { expireAuthorizations } from '../../src/cards/events/expiry';
import { setCardLimits, setUserLimits } from '../../src/cards/events/limits/operations';
import { limitsNeverSet } from '../../src/cards/events/limits/record';
import type { Message } from '../../src/cards/events/record';
import { requestCard } from '../../src/cards/issuance/issue';
import { orderCard } from '../../src/cards/orders/issuance';
import type { Tx } from '../../src/kernel/db/database';
import { newId } from '../../src/kernel/ids';
import { setUserStatus } from '../../src/people/users/operations';
import { PROCESSOR } from '../support/cards';
import { pick, short } from './messages';
import type { Stage } from './play';
import type {
  AccountOperation,
  ExpiryOperation,
  IssuingOperation,
  LimitsOperation,
  UserOperation,
} from './script';
import { type Answer, attempt } from './submit';
import { amountOf, keepCard, type World, type WorldAccount, type WorldCard } from './world';

type OtherOperation = IssuingOperation | ExpiryOperation | AccountOperation | UserOperation | LimitsOperation;

interface Result {
  text: string;
  answers: Answer[];
  cardId?: string;
  stranger?: boolean;
}

/** Operations that are no card messages: on accounts and users, issuing, expiry. */
export async function otherOperation(
  stage: Stage,
  world: World,
  references: Map<string, string[]>,
  operation: OtherOperation,
): Promise<Result> {
  switch (operation.do) {
    case 'transfer':
      return transferBetween(stage, world, operation);
    case 'exchange':
      return exchangeBetween(stage, world, operation);
    case 'deposit':
    case 'withdrawal':
      return correctBalance(stage, world, operation);
    case 'block':
    case 'unblock':
      return setStatus(stage, world, operation);
    case 'limits':
      return setLimits(stage, world, operation);
    case 'expire':
      return expire(stage, world, references, operation);
    case 'ask':
      return ask(stage, world, operation);
    case 'issue':
    case 'issue_failed':
      return issue(stage, world, operation);
  }
}

const answered = async (stage: Stage, work: (tx: Tx) => Promise<unknown>): Promise<Answer[]> => [
  (await attempt(stage.api.services, work)).answer,
];

async function transferBetween(stage: Stage, world: World, operation: AccountOperation): Promise<Result> {
  const from = pick(world.accounts, operation.account);
  const others = world.accounts.filter((to) => fitting(from, to) !== operation.stranger);
  const to = pick(others, operation.to);
  const amount = amountOf(operation.minor, from.currency);
  const given = { fromAccountId: from.id, toAccountId: to.id, amount };
  const answers = await answered(stage, (tx) => transfer(tx, from.tenantId, given, undefined));
  const stranger = to.tenantId !== from.tenantId;
  return { text: `transfer ${amount.toFixed()} from ${from.name} to ${to.name}`, answers, stranger };
}

/** Takes a new quote and exchanges at once, to an account in another currency. */
async function exchangeBetween(stage: Stage, world: World, operation: AccountOperation): Promise<Result> {
  const { services } = stage.api;
  const from = pick(world.accounts, operation.account);
  const { tenantId } = from;
  const to = pick(
    world.accounts.filter((each) => exchangeable(from, each) !== operation.stranger),
    operation.to,
  );
  const amount = amountOf(operation.minor, from.currency);
  const key = { idempotencyKey: newId('reference'), callerId: tenantId };
  const answers = await answered(stage, async (tx) => {
    const account = await requireAccount(tx, tenantId, from.id);
    const asked = { toAccountId: to.id, amount, side: 'sell' as const };
    const { quoteId } = await quoteExchange(services, tx, account, asked);
    await exchange(tx, account, quoteId, key, services.now());
  });
  const stranger = to.tenantId !== tenantId;
  return { text: `exchange ${amount.toFixed()} from ${from.name} to ${to.name}`, answers, stranger };
}

const exchangeable = (a: WorldAccount, b: WorldAccount): boolean =>
  a.tenantId === b.tenantId && a.currency !== b.currency;

const fitting = (a: WorldAccount, b: WorldAccount): boolean =>
  a.id !== b.id && a.tenantId === b.tenantId && a.currency === b.currency;

async function correctBalance(stage: Stage, world: World, operation: AccountOperation): Promise<Result> {
  const account = pick(world.accounts, operation.account);
  const amount = amountOf(operation.minor, account.currency);
  const stranger = world.tenants.find((tenant) => tenant !== account.tenantId) as string;
  const kind = operation.do === 'deposit' ? 'deposit/admin_deposit' : 'withdraw/admin_withdrawal';
  const given = { accountId: account.id, amount };
  const answers = await answered(stage, (tx) =>
    correct(tx, operation.stranger ? stranger : null, kind, given, undefined),
  );
  return {
    text: `${operation.do} ${amount.toFixed()} on ${account.name}`,
    answers,
    stranger: operation.stranger,
  };
}

async function setStatus(stage: Stage, world: World, operation: UserOperation): Promise<Result> {
  const user = pick(world.users, operation.user);
  const status = operation.do === 'block' ? 'blocked' : 'active';
  const answers = await answered(stage, (tx) =>
    setUserStatus(stage.api.services, tx, user.tenantId, user.id, status, undefined),
  );
  return { text: `${operation.do} ${user.name}`, answers };
}

/** Replaces the limits at the version just read. A concurrent change makes it a conflict. */
async function setLimits(stage: Stage, world: World, operation: LimitsOperation): Promise<Result> {
  const ofCard = operation.of === 'card';
  const subject = pick<World['cards'][number] | World['users'][number]>(
    ofCard ? world.cards : world.users,
    operation.subject,
  );
  const { id, name, tenantId } = subject;
  const [row] = await stage.api.database.query<{ version: number }>(
    'select version from spending_limits where subject_id = $1',
    [id],
  );
  const currency = 'currency' in subject ? subject.currency : 'USD';
  const perDay = operation.minor === null ? null : amountOf(operation.minor, currency);
  const given = { ...limitsNeverSet(id), perDay, version: row?.version ?? 0 };
  const set = ofCard ? setCardLimits : setUserLimits;
  const answers = await answered(stage, (tx) => set(stage.api.services, tx, tenantId, id, given));
  return { text: `${name} may spend ${perDay?.toFixed() ?? 'anything'} a day`, answers };
}

/** Ages the authorization beyond its validity, and runs the expiry job. */
async function expire(
  stage: Stage,
  world: World,
  references: Map<string, string[]>,
  operation: ExpiryOperation,
): Promise<Result> {
  const card = pick(world.cards, operation.card);
  const known = references.get(card.id) ?? [];
  const reference = known[operation.chain % Math.max(known.length, 1)];
  if (reference === undefined) return { text: `card ${card.name}: nothing to expire`, answers: [] };
  const { database, services } = stage.api;
  await database.query(
    `update authorizations set expires_at = now() - interval '1 second'
      where id = (select authorization_id from card_transactions where reference_id = $1 limit 1)`,
    [reference],
  );
  const { expired } = await expireAuthorizations(services, 100);
  return {
    text: `card ${card.name}: ${short(reference)} grows old, the job expires ${expired}`,
    answers: [],
  };
}

async function ask(stage: Stage, world: World, operation: IssuingOperation): Promise<Result> {
  const like = pick(world.cards, operation.card);
  const amount = amountOf(operation.minor, like.currency);
  const { userId, accountId, cardholderId, tenantId } = like;
  const request = { userId, accountId, cardholderId, amount };
  const asked = { caller: { reach: tenantId }, idempotencyKey: undefined };
  let name = '';
  const answers = await answered(stage, async (tx) => {
    const card = await requestCard(stage.api.services, tx, request, asked);
    tx.afterCommit(() => void (name = keepCard(world, card, like.name.slice(0, 1)).name));
  });
  return { text: `ask for a card like ${like.name} with ${amount.toFixed()}${name && `: ${name}`}`, answers };
}

async function issue(stage: Stage, world: World, operation: IssuingOperation): Promise<Result> {
  // Counts from the newest card, because older cards are mostly issued already.
  const card = pick([...world.cards].reverse(), operation.card);
  if (card.ordered) return decide(stage, card, operation.do);
  const of = { cardId: card.id, reach: null };
  const message: Message =
    operation.do === 'issue'
      ? { ...of, type: 'issue', processor: PROCESSOR }
      : { ...of, type: 'issue_failed', failure: 'refused' };
  return {
    text: `card ${card.name}: ${operation.do}`,
    answers: [await stage.submit('transaction', message)],
    cardId: card.id,
  };
}

/** Gives the processor's decision on an ordered card. The first decision counts. */
async function decide(stage: Stage, card: WorldCard, type: IssuingOperation['do']): Promise<Result> {
  stage.processor.decide(card.id, type === 'issue');
  const told = await orderCard(stage.api.services, card.id);
  return {
    text: `card ${card.name}: ordered, ${type}`,
    answers: [{ status: 201, type: told, replayed: false }],
  };
}
