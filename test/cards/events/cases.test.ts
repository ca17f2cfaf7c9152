import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderCases } from '../../../scripts/document-cases';
import type { CardTransaction } from '../../../src/cards/events/record';
import { CASES, type Case, type Step } from './cases';
import { NETWORK_CASES, type NetworkStep } from './network-cases';
import { money, NOW, type Scene, type SceneOptions, scene } from './scene';

const PROCESSOR = { reference: 'p_1', last4: '4242', expiryMonth: 1, expiryYear: 2030 };

describe.each(CASES.map((one) => [one.rule, one] as const))('%s', (_rule, one) => {
  it('holds', () => {
    const s = scene(optionsOf(one));
    const done: (CardTransaction | undefined)[] = [];
    for (const step of one.when) done.push(play(s, step, done));
    expectThen(s, one);
  });
});

describe.each(NETWORK_CASES.map((one) => [one.rule, one] as const))('%s', (_rule, one) => {
  it('holds', () => {
    const s = scene(optionsOf(one));
    const done: (CardTransaction | undefined)[] = [];
    for (const step of one.when) done.push(tell(s, step, done));
    expectThen(s, one);
  });
});

function expectThen(s: Scene, one: Omit<Case, 'when'>): void {
  expect(s.told()).toEqual(one.then.told);
  expect(s.balances()).toMatchObject({
    card: one.then.card,
    ...(one.then.master === undefined ? {} : { master: one.then.master }),
    ...(one.then.account === undefined ? {} : { account: one.then.account }),
    ...(one.then.buffer === undefined ? {} : { buffer: one.then.buffer }),
  });
  if (one.then.status) expect(s.card.status).toBe(one.then.status);
  expectFoldToBe(s);
  expectChainsOfReferences(s.events());
}

/** A message of the network's transaction, or the event after a message that was not answered in time. */
function tell(
  s: Scene,
  { sent, declined, of, ...step }: NetworkStep,
  done: (CardTransaction | undefined)[],
): CardTransaction | undefined {
  const sentAt = new Date(NOW.getTime() + sent * 60_000);
  const message = { reference: 'network-1', currency: 'USD', ...step };
  const result =
    step.event === 'unanswered'
      ? s.does({ ...message, type: 'unanswered', ...heldBy(s, of, done) })
      : s.does({ ...message, type: 'network', sentAt });
  if (typeof result === 'string') throw new Error(`${step.event} was refused: ${result}`);
  if (declined !== undefined) expect(result).toMatchObject({ type: 'decline', declineReason: declined });
  else expect(result?.type).not.toBe('decline');
  return result;
}

/** The hold of a declined authorization, and the cancelled amount. All messages of a case belong to one chain. */
function heldBy(s: Scene, of: number | undefined, done: (CardTransaction | undefined)[]) {
  if (of === undefined) return {};
  const cancelled = s
    .events()
    .filter(({ type, source }) => type === 'cancel' && source !== 'unanswered')
    .reduce((sum, { amount }) => sum.plus(amount), money('0'));
  return { referenceId: done[of - 1]?.referenceId, cancelled };
}

describe('the amount that a forced authorization has drawn from the buffer', () => {
  const forced = () => {
    const s = scene({ card: '75', buffer: '25', master: '100' });
    const held = s.does({
      type: 'network',
      event: 'advice',
      reference: 'network-1',
      currency: 'USD',
      amount: '20.00',
      sentAt: NOW,
    }) as CardTransaction;
    return { s, held };
  };

  it('goes to the account when it is released on a closed card', () => {
    const { s, held } = forced();
    s.does({ type: 'close' });
    s.does({ type: 'cancel', referenceId: held.referenceId });
    expect(s.told().slice(-2)).toEqual(['withdraw 20.00', 'transfer/card_closed_refund 20.00']);
    expect(s.balances()).toMatchObject({ card: '0.00 0.00 0.00', buffer: '0.00', master: '200.00 0.00' });
    expectFoldToBe(s);
  });

  it('returns to the buffer of a closing card, linked to the cancel under its own reference', () => {
    const { s, held } = forced();
    s.does({ type: 'begin_closure' });
    s.does({ type: 'cancel', referenceId: held.referenceId });
    const [cancelled, returned] = s.events().slice(-2);
    expect(returned).toMatchObject({ type: 'withdraw', source: 'buffer', linkedId: cancelled?.id });
    expect(returned?.referenceId).not.toBe(cancelled?.referenceId);
    expect(s.balances()).toMatchObject({ card: '75.00 0.00 0.00', buffer: '25.00' });
  });
});

it('docs/card-events.md lists the cases as they are tested', () => {
  expect(readFileSync(join(__dirname, '../../../docs/card-events.md'), 'utf8')).toBe(renderCases());
});

function optionsOf({ given }: Pick<Case, 'given'>): SceneOptions {
  const fees = Object.fromEntries(
    Object.entries(given.fees ?? {}).map(([name, text]) => [name, money(text)]),
  );
  const { markupPercent, maxAuthorization } = given.programme ?? {};
  return {
    card: given.card,
    master: given.master,
    account: given.account,
    ...(given.buffer === undefined ? {} : { buffer: given.buffer }),
    ...(given.buffer === undefined ? {} : { buffer: given.buffer }),
    ...given.more,
    programme: {
      fees,
      ...(markupPercent === undefined ? {} : { markupPercent: money(markupPercent) }),
      ...(maxAuthorization === undefined ? {} : { maxAuthorization: money(maxAuthorization) }),
    },
  };
}

function play(s: Scene, step: Step, done: (CardTransaction | undefined)[]): CardTransaction | undefined {
  const { of, refused, declined, ...message } = step;
  const referenceId = of === undefined ? step.referenceId : done[of - 1]?.referenceId;
  const extra =
    step.type === 'issue'
      ? { processor: PROCESSOR }
      : step.type === 'issue_failed'
        ? { failure: 'refused' }
        : {};
  const before = s.events().length;
  const result = s.does({ ...message, ...extra, ...(referenceId === undefined ? {} : { referenceId }) });
  if (refused !== undefined) {
    expect(result).toBe(refused);
    expect(s.events()).toHaveLength(before);
    return undefined;
  }
  if (declined !== undefined) expect(result).toMatchObject({ type: 'decline', declineReason: declined });
  else if (typeof result === 'string') throw new Error(`${step.type} was refused: ${result}`);
  return typeof result === 'string' ? undefined : result;
}

/** The client's events, folded by `interface.md 3.4`, give the balances. */
function expectFoldToBe(s: Scene): void {
  const { card, master, account } = s.balances();
  const sum = (balance: string) =>
    balance
      .split(' ')
      .reduce((total, part) => total.plus(part), money('0'))
      .toFixed(2);
  expect(s.folded()).toEqual({ card, master: sum(master), account: sum(account) });
}

/** By `interface.md 6.1` no reference and type repeats, and every later event of a chain is linked. */
function expectChainsOfReferences(events: CardTransaction[]): void {
  const names = events.map((event) => `${event.referenceId} ${event.type}`);
  expect(new Set(names).size).toBe(names.length);
  const ids = new Set(events.map((event) => event.id));
  for (const event of events) if (event.linkedId !== null) expect(ids.has(event.linkedId)).toBe(true);
}
