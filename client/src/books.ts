import { isSame, isZero, sum, times } from './amounts';
import { ACCOUNT_EFFECTS, CARD_EFFECTS } from './generated/effects';

/**
 * Books from webhooks: the fold of events into balances, and the reconciliation of `interface.md 6.3`. Both take events in
 * any order, and count an event that came twice once.
 */

/** Decimal strings. The `spent` of an account is 0. */
export interface Balances {
  available: string;
  pending: string;
  spent: string;
}

/** An event as a webhook delivers it, or as it was stored. */
export interface Told {
  event: string;
  data: object;
}

/** The fields of `card_transaction` and `account_transaction` that the books need. */
interface Movement {
  id: string;
  cardId?: string;
  accountId?: string;
  type: string;
  subtype?: string;
  billingAmount?: string;
  amount?: string;
  referenceId: string;
  linkedId?: string;
  source?: string;
  effect?: Partial<Balances>;
}

interface Entry extends Movement {
  /** `issue` of a card, `fee/settle_fee` of an account. */
  name: string;
  isCard: boolean;
  /** Id of the card or the account. */
  owner: string;
  change: Balances;
}

type Factors = Record<keyof Balances, -1 | 0 | 1>;

const NAMES = ['available', 'pending', 'spent'] as const;
const NOTHING: Balances = { available: '0', pending: '0', spent: '0' };

/**
 * Adds the events up by the table of effects (`interface.md 3.4`), for each card and account that they name.
 * @param opening balances before the first event; zero by default
 * @throws Error for a movement that neither the table nor the event itself explains
 */
export function fold(
  events: Iterable<Told>,
  opening: Record<string, Partial<Balances>> = {},
): Map<string, Balances> {
  const balances = new Map<string, Balances>(
    Object.entries(opening).map(([id, given]) => [id, { ...NOTHING, ...given }]),
  );
  for (const { owner, change } of entriesOf(events)) {
    const before = balances.get(owner) ?? NOTHING;
    balances.set(
      owner,
      eachOf((name) => sum(before[name], change[name])),
    );
  }
  return balances;
}

/**
 * Whether folded events agree with the balance that the API reports: of a card each part, of an account `available` and
 * `pending` together. Settled fees are pending in the fold, and the API has taken them from `available`.
 */
export function agrees(
  folded: Balances = NOTHING,
  reported: Omit<Balances, 'spent'> & { spent?: string },
): boolean {
  const { available, pending, spent } = reported;
  if (spent === undefined) return isSame(sum(folded.available, folded.pending), sum(available, pending));
  return NAMES.every((name) => isSame(folded[name], { available, pending, spent }[name]));
}

/** Something that the received events leave open. A missing event comes by `resendWebhooks`. */
export interface Finding {
  referenceId: string;
  /**
   * `missing_leg`: the account's or the card's half of a movement is missing. `missing_origin`: the event that this one
   * follows is missing. `wrong_effect`: the event and the table of effects differ.
   */
  kind: 'missing_leg' | 'missing_origin' | 'wrong_effect';
  /** For people. */
  message: string;
}

/**
 * Reconciles events as `interface.md 6.3` describes: groups them by `referenceId`, compares their effects with the table,
 * and checks that the legs of cards and accounts net out.
 * @returns nothing when the books are complete. Keep what is open, and ask for it by `resendWebhooks`.
 */
export function reconcile(events: Iterable<Told>): Finding[] {
  const entries = entriesOf(events);
  const ids = new Set(entries.map(({ id }) => id));
  const groups = new Map<string, Entry[]>();
  for (const entry of entries)
    groups.set(entry.referenceId, [...(groups.get(entry.referenceId) ?? []), entry]);
  return [
    ...entries
      .filter(hasWrongEffect)
      .map((entry) => found('wrong_effect', entry, 'has another effect than the table')),
    ...entries
      .filter(({ isCard, linkedId }) => isCard && linkedId !== undefined && !ids.has(linkedId))
      .map((entry) => found('missing_origin', entry, `follows ${entry.linkedId}, which is missing`)),
    ...[...groups.values()].flatMap(missingLegs),
  ];
}

const found = (kind: Finding['kind'], { referenceId, name, owner }: Entry, what: string): Finding => ({
  referenceId,
  kind,
  message: `${name} of ${owner} ${what}.`,
});

/** Movements between a card and its account. A buffer belongs to neither. */
const CARD_FUNDING = ['issue', 'topup', 'withdraw'];
const ACCOUNT_FUNDING = ['transfer/card_deposit', 'transfer/card_withdraw', 'transfer/card_closed_refund'];
/** Movements between two accounts in one currency. */
const BETWEEN_ACCOUNTS = ['transfer/account_out', 'transfer/account_in'];

const isFunding = ({ isCard, name, source }: Entry): boolean =>
  isCard ? CARD_FUNDING.includes(name) && source !== 'buffer' : ACCOUNT_FUNDING.includes(name);

const isBetweenAccounts = ({ isCard, name }: Entry): boolean => !isCard && BETWEEN_ACCOUNTS.includes(name);

/** @param group entries of one `referenceId` */
function missingLegs(group: Entry[]): Finding[] {
  return [isFunding, isBetweenAccounts].flatMap((isOfKind) => {
    const [first, ...others] = group.filter(isOfKind);
    if (!first) return [];
    const rest = sum(...[first, ...others].map(({ change }) => change.available));
    return isZero(rest) ? [] : [found('missing_leg', first, `leaves ${rest} without its other half`)];
  });
}

/** Whether the event states another change than the table. An event without `effect` states nothing. */
const hasWrongEffect = ({ effect, change }: Entry): boolean =>
  effect !== undefined && NAMES.some((name) => !isSame(effect[name] ?? '0', change[name]));

/** The movements among the events, each once. */
function entriesOf(events: Iterable<Told>): Entry[] {
  const entries = new Map<string, Entry>();
  for (const { event, data } of events) {
    if (event !== 'card_transaction' && event !== 'account_transaction') continue;
    const entry = entryOf(event === 'card_transaction', data as Movement);
    entries.set(`${event} ${entry.id}`, entry);
  }
  return [...entries.values()];
}

function entryOf(isCard: boolean, data: Movement): Entry {
  const name = isCard ? data.type : `${data.type}/${data.subtype}`;
  const table: Record<string, Factors> = isCard ? CARD_EFFECTS : ACCOUNT_EFFECTS;
  const owner = isCard ? data.cardId : data.accountId;
  const factors = table[name];
  // An event of a newer release than this table states its effect itself.
  const amount = data.billingAmount ?? data.amount ?? '0';
  const change = factors
    ? eachOf((each) => times(amount, factors[each]))
    : data.effect && { ...NOTHING, ...data.effect };
  if (!change || owner === undefined) throw new Error(`No effect is known of ${JSON.stringify(data)}`);
  return { ...data, name, isCard, owner, change };
}

const eachOf = (value: (name: keyof Balances) => string): Balances => ({
  available: value('available'),
  pending: value('pending'),
  spent: value('spent'),
});
