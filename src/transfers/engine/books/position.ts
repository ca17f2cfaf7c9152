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
import { PARTY_ACCOUNTS } from '../../../kernel/ledger/party-accounts';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { MoneyParty } from '../../../kernel/outbox/queues';

/**
 * What the books hold because of one transfer. A position is computed whole from terms, word and decisions; what is
 * posted is the difference to what is booked, so no order of words can book anything twice or lose it.
 */
export interface Holding {
  /** A name of the kind's component table. */
  component: string;
  /** Which refund, dispute or return, by our own id; null where there is one of it. */
  part: string | null;
  /** Of a client; null on an internal account, which the component names. */
  account: string | null;
  currency: string;
  amount: Decimal;
}

export type Position = readonly Holding[];

/** What an internal account holds, which the component names. */
export const internal = (component: string, currency: string, amount: Decimal): Holding => ({
  component,
  part: null,
  account: null,
  currency,
  amount,
});

/**
 * What an increase and a decrease of a component are called (decisions part 3): an account transaction, a hold and its
 * release, or a line on an internal account, which receives what it increases by.
 */
export type Component =
  | { on: 'client'; up: AccountEffect; down: AccountEffect }
  | { on: 'hold'; up: HoldEffect; down: HoldEffect }
  | { on: 'internal'; account: InternalAccount };

export type ComponentTable = Readonly<Record<string, Component>>;

/** Of every kind. `fx` takes what is left in each currency: the exchange, and what rounding leaves. */
const INTERNAL_COMPONENTS: ComponentTable = {
  fees: { on: 'internal', account: 'fees' },
  suspense: { on: 'internal', account: 'suspense' },
  losses: { on: 'internal', account: 'losses' },
  fx: { on: 'internal', account: 'fx_position' },
};

/**
 * Gives the components of a kind, with the account of its own party. An error follows where a position puts money at another party.
 */
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

/** A change of one component and part, with the reference of the event that tells of it. */
export interface Change extends Holding {
  reference: string;
}

export const keyOf = ({ component, part, account, currency }: Omit<Holding, 'amount'>): string =>
  [component, part ?? '', account ?? '', currency].join(' ');

/** The position with what balances it: per currency, all that it moves sums to zero. What goes by one name is one holding. */
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

/** What an increase by one does to the sum of the account: 1 given to it, −1 taken from it, 0 moved within it. */
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

/** What stands on a chain goes by its account's name: there are as many as chains. */
const onChain = (component: string): Component | undefined =>
  isChainAccount(component) ? { on: 'internal', account: component } : undefined;

/** Target minus booked: what is to be posted. */
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

/** The line of the ledger that a change is. */
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
