import type { AccountEffect, HoldEffect } from '../../../kernel/ledger/effects';
import { ACCOUNT_EFFECTS } from '../../../kernel/ledger/effects';
import {
  accountEntry,
  type Entry,
  holdEntry,
  type InternalAccount,
  internalEntry,
  isChainAccount,
} from '../../../kernel/ledger/entries';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { MoneyParty } from '../../../kernel/outbox/queues';
import { PARTY_ACCOUNTS } from '../../../kernel/parties';

/**
 * One amount in the books of a transfer. All its holdings together are its position.
 *
 * The engine computes the whole position from terms, word and decisions, and posts the difference to what is booked.
 * So words in any order book nothing twice and lose nothing.
 */
export interface Holding {
  /** Name in the kind's table of components. */
  component: string;
  /** Our id of the refund, dispute or return. Null for a component without parts. */
  part: string | null;
  /** Account of a client. Null on an internal account, which the component names. */
  account: string | null;
  currency: string;
  amount: Decimal;
}

export type Position = readonly Holding[];

/** A holding on the internal account that the component names. */
export const internal = (component: string, currency: string, amount: Decimal): Holding => ({
  component,
  part: null,
  account: null,
  currency,
  amount,
});

/**
 * Names an increase and a decrease of a component (decisions part 3): an account transaction, a hold with its
 * release, or an entry on an internal account.
 */
export type Component =
  | { on: 'client'; up: AccountEffect; down: AccountEffect }
  | { on: 'hold'; up: HoldEffect; down: HoldEffect }
  | { on: 'internal'; account: InternalAccount };

export type ComponentTable = Readonly<Record<string, Component>>;

/** Components of every kind. `fx` takes the remainder in each currency: the exchange, and rounding differences. */
const INTERNAL_COMPONENTS: ComponentTable = {
  fees: { on: 'internal', account: 'fees' },
  suspense: { on: 'internal', account: 'suspense' },
  losses: { on: 'internal', account: 'losses' },
  fx: { on: 'internal', account: 'fx_position' },
};

/** The components of a kind, with the internal account of its party. A position with money at another party throws. */
export function componentsOf({ party, components }: OfParty): ComponentTable {
  if (party === 'chain') return components;
  const account = PARTY_ACCOUNTS[party];
  return { ...components, [account]: { on: 'internal', account } };
}

/** The fields of a kind that say where its money is. */
interface OfParty {
  party: MoneyParty;
  components: ComponentTable;
}

/** A change of one holding, with the reference of its event. */
export interface Change extends Holding {
  reference: string;
}

export const keyOf = ({ component, part, account, currency }: Omit<Holding, 'amount'>): string =>
  [component, part ?? '', account ?? '', currency].join(' ');

/** Merges holdings of one name and adds the `fx` holdings, so that the position sums to zero in each currency. */
export function balanced(given: Position, table: ComponentTable): Holding[] {
  const position = summed(given);
  const left = new Map<string, Decimal>();
  for (const holding of position) {
    const received = factorOf(holding, table) * 1;
    if (received === 0) continue;
    const { currency, amount } = holding;
    left.set(currency, (left.get(currency) ?? ZERO).minus(amount.times(received)));
  }
  const exchanged = [...left].map(([currency, amount]) => ({ ...FX, currency, amount }));
  return [...position, ...exchanged].filter(({ amount }) => !amount.isZero());
}

/** Sums the holdings of one name. */
export function summed(position: Position): Holding[] {
  const all = new Map<string, Holding>();
  for (const holding of position) {
    const known = all.get(keyOf(holding));
    all.set(keyOf(holding), { ...holding, amount: holding.amount.plus(known?.amount ?? ZERO) });
  }
  return [...all.values()];
}

const FX = { component: 'fx', part: null, account: null } as const;

/** Effect of a component's increase on its account: 1 adds, −1 takes, 0 only holds. */
function factorOf({ component }: Holding, table: ComponentTable): -1 | 0 | 1 {
  const rule = ruleOf(component, table);
  if (rule.on === 'client') return ACCOUNT_EFFECTS[rule.up].available;
  return rule.on === 'hold' ? 0 : 1;
}

function ruleOf(component: string, table: ComponentTable): Component {
  const rule = table[component] ?? INTERNAL_COMPONENTS[component] ?? onChain(component);
  if (!rule) throw new Error(`no component is called ${component}`);
  return rule;
}

/** A component for money on a chain is named as its account, because chains are not known in advance. */
const onChain = (component: string): Component | undefined =>
  isChainAccount(component) ? { on: 'internal', account: component } : undefined;

/** Target minus booked: the amounts to post. */
export function differences(target: Position, booked: Position): Holding[] {
  const left = new Map(target.map((holding) => [keyOf(holding), holding]));
  const changes: Holding[] = [];
  for (const holding of booked) {
    const wanted = left.get(keyOf(holding))?.amount ?? ZERO;
    changes.push({ ...holding, amount: wanted.minus(holding.amount) });
    left.delete(keyOf(holding));
  }
  return [...changes, ...left.values()].filter(({ amount }) => !amount.isZero());
}

/** The ledger entry of a change. */
export function entryOf(
  { component, account, currency, amount, reference }: Change,
  table: ComponentTable,
): Entry {
  const rule = ruleOf(component, table);
  if (rule.on === 'internal') return internalEntry(rule.account, currency, amount, reference);
  if (account === null) throw new Error(`${component} has no account`);
  const up = amount.gt(0);
  return rule.on === 'hold'
    ? holdEntry(account, up ? rule.up : rule.down, amount.abs(), reference)
    : accountEntry(account, up ? rule.up : rule.down, amount.abs(), reference);
}
