import { Decimal, roundTo } from '../../../kernel/money/money';
import type { Moment } from '../../sandbox/changes';
import { secondsAfter } from '../../sandbox/time';
import type { SandboxCardOrder } from './record';
import { type CardScenario, scenarioOf } from './scenarios';

/** The acquirer's state of an order. Amounts are decimal strings. */
export interface CardOrderReport {
  key: string;
  version: number;
  status: 'requires_action' | 'processing' | 'succeeded' | 'failed';
  failureCode?: string;
  moved: string;
  returns: { id: string; amount: string }[];
}

/** Seconds from the order, or the payer's confirmation, to the decision, unless the scenario sets others. */
const DECISION_SECONDS = 0.15;

type Change = Pick<CardOrderReport, 'status' | 'failureCode'> & { returned: string; at: Date };

/** The changes of an order in their sequence. A confirmation that is missing is left out. */
export function changesOf(order: SandboxCardOrder): Change[] {
  const { kind, token, acceptedAt, confirmedAt, refusedAt, expiresAt } = order;
  if (!acceptedAt) return [];
  const scenario = scenarioOf(token);
  if (kind === 'push' || !scenario.requiresAction) return decided(order, scenario, acceptedAt);
  const asked: Change = { status: 'requires_action', returned: '0', at: acceptedAt };
  const ended = (failureCode: string, at: Date): Change => ({
    status: 'failed',
    failureCode,
    returned: '0',
    at,
  });
  if (refusedAt) return [asked, ended('authentication_failed', refusedAt)];
  if (confirmedAt) return [asked, ...decided(order, scenario, confirmedAt)];
  return [asked, ended('authentication_expired', expiresAt)];
}

function decided(order: SandboxCardOrder, scenario: Partial<CardScenario>, from: Date): Change[] {
  const { refusal, decisionSeconds = DECISION_SECONDS, acceptsFirst, arrivesLateSeconds } = scenario;
  const at = secondsAfter(from, decisionSeconds);
  const processing: Change = { status: 'processing', returned: '0', at: from };
  // A refused push had left before, so its money has come back.
  const returned = acceptsFirst && order.kind === 'push' ? order.amount.toFixed() : '0';
  if (refusal === undefined)
    return [processing, { status: 'succeeded', returned: '0', at }, ...afterSuccess(order, scenario, at)];
  return [
    ...(acceptsFirst ? [processing] : []),
    { status: 'failed', failureCode: refusal, returned, at: acceptsFirst ? at : from },
    ...(arrivesLateSeconds === undefined
      ? []
      : [{ status: 'succeeded', returned: '0', at: secondsAfter(from, arrivesLateSeconds) } as const]),
  ];
}

function afterSuccess(order: SandboxCardOrder, scenario: Partial<CardScenario>, from: Date): Change[] {
  const { undoneSeconds } = scenario;
  if (undoneSeconds === undefined) return returns(order, scenario, from);
  const at = secondsAfter(from, undoneSeconds);
  return [{ status: 'failed', failureCode: 'payment_reversed', returned: '0', at }];
}

function returns(
  { kind, amount, currency }: SandboxCardOrder,
  { returnSeconds, returnedShare = '1', wonSeconds }: Partial<CardScenario>,
  from: Date,
): Change[] {
  if (returnSeconds === undefined) return [];
  const returned = roundTo(amount.times(returnedShare), currency, Decimal.ROUND_DOWN).toFixed();
  const gone = { status: 'succeeded', returned, at: secondsAfter(from, returnSeconds) } as const;
  if (wonSeconds === undefined || kind === 'push') return [gone];
  return [gone, { status: 'succeeded', returned: '0', at: secondsAfter(from, wonSeconds) }];
}

/** The times at which the order changes by itself. */
export function momentsOf(order: SandboxCardOrder): Moment[] {
  const { sendsNoCallbacks: quiet = false } = scenarioOf(order.token);
  return changesOf(order).map(({ at }) => ({ at, quiet }));
}

/** The state of an order at that time. */
export function wordAt(order: SandboxCardOrder, version: number, at: Date): CardOrderReport {
  const { key, kind, amount } = order;
  const {
    at: _,
    returned,
    ...now
  } = changesOf(order)
    .reverse()
    .find((change) => change.at <= at) ?? { status: 'processing' as const, returned: '0', at };
  const hasLeft = kind === 'push' && now.status === 'processing';
  const hasMoved = now.status === 'succeeded' || hasLeft || returned !== '0';
  const returns = returned === '0' ? [] : [{ id: `return-${key}`, amount: returned }];
  return { key, version, ...now, moved: hasMoved ? amount.toFixed() : '0', returns };
}
