import type { Effect } from '../../process/desk/decision';
import type { Cell as WireCell } from '../../process/desk/list';
import { ageText, type Cell, printable, table } from './console';

/** An approval as the desk shows it. */
export interface ApprovalView {
  id: string;
  kind: string;
  subject: string;
  tenantId: string | null;
  amount: string | null;
  currency: string | null;
  changes: Effect[];
  reason: string;
  requestedBy: string;
  requestedAt: string;
  status: string;
  firstBy: string | null;
  decidedBy: string | null;
}

/** A value of a figure. */
export interface Counted {
  at?: string;
  labels: Record<string, string>;
  value: number | string;
}

interface Columns {
  columns: { name: string; title: string; type: string }[];
}

/** The rows as a table, with the age of waiting rows. */
export function rowsTable({ columns }: Columns, rows: Record<string, WireCell>[], now: Date): string {
  const since = columns.find(({ type }) => type === 'since')?.name;
  const ageOf = (row: Record<string, WireCell>) => {
    const at = since === undefined ? null : row[since];
    return typeof at === 'string' ? ageText((now.getTime() - Date.parse(at)) / 1000) : null;
  };
  return table(
    [...columns.map(({ title }) => title), ...(since === undefined ? [] : ['age'])],
    rows.map((row) => [
      ...columns.map(({ name }) => textOf(row[name] ?? null)),
      ...(since === undefined ? [] : [ageOf(row)]),
    ]),
  );
}

const textOf = (cell: WireCell): Cell =>
  cell !== null && typeof cell === 'object' ? `${cell.amount} ${cell.currency}` : cell;

export function overview(counts: { list: string; count: number; oldestSeconds: number }[]): string {
  const rows = counts.map(({ list, count, oldestSeconds }) => [
    ...[list, count, count === 0 ? null : ageText(oldestSeconds)],
  ]);
  return table(['list', 'waiting', 'oldest'], rows);
}

/** Values of a figure: a column for each label. */
export function pointsText(values: Counted[]): string {
  const labels = [...new Set(values.flatMap((each) => Object.keys(each.labels)))];
  const times = values.some(({ at }) => at !== undefined) ? ['at'] : [];
  const rows = values.map(({ at, labels: own, value }) => [
    ...times.map(() => at),
    ...labels.map((name) => own[name]),
    value,
  ]);
  return table([...times, ...labels, 'value'], rows);
}

export function effectsText({
  effects,
  takesTwo,
  why,
  version,
}: {
  effects: Effect[];
  takesTwo: boolean;
  why: string;
  version: string;
}): string {
  const two = takesTwo ? `It takes two operators. ${why}`.trimEnd() : 'One operator decides it.';
  const rows = effects.map(({ field, from, to }) => [field, from, to]);
  return `${table(['field', 'now', 'then'], rows)}\n\n${two}\nversion ${version}`;
}

const whatOf = ({ amount, currency, changes }: ApprovalView): string =>
  amount === null
    ? changes.map(({ field, from, to }) => `${field}: ${from ?? 'none'} -> ${to ?? 'none'}`).join('; ')
    : `${amount} ${currency}`;

/** The outcome of a decision: its result, or the approval that it waits for. A secret is shown once beside it. */
export interface Outcome {
  result?: Record<string, unknown>;
  approval?: ApprovalView;
  why?: string;
  [shown: string]: unknown;
}

export function outcomeText(
  id: string,
  { result = {}, approval, why = '', ...shown }: Outcome,
  { showsSecret }: { showsSecret: boolean },
): string {
  const keep = showsSecret ? '\n\nKeep the secret: it is not shown again.' : '';
  if (approval) {
    const what = approval.amount === null ? `${whatOf(approval)}. It` : whatOf(approval);
    const asks = `${printable(what)} takes two: another operator decides by "approval approve ${approval.id}". ${why}`;
    return showsSecret ? `${asks.trimEnd()}\n\n${fieldsText(shown)}${keep}` : asks.trimEnd();
  }
  const { status, state = status, changes } = result;
  if (typeof state === 'string') return `${id} is ${printable(state)}.`;
  if (Array.isArray(changes)) return changesText(changes as Effect[]);
  return [`${id}: done.`, fieldsText(result)].filter(Boolean).join('\n') + keep;
}

/** The fields of a result that fit a line, one a line. */
function fieldsText(fields: Record<string, unknown>): string {
  const shown = Object.entries(fields).flatMap(([name, value]) => {
    const text = valueText(value);
    return text === undefined ? [] : [[name, text] as const];
  });
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, text]) => `${name.padEnd(width)}  ${printable(text)}`).join('\n');
}

/** A plain value, or a list of texts or amounts. Undefined for any other object. */
function valueText(value: unknown): string | undefined {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) return undefined;
  const texts = value.map((each: unknown) => (isMoney(each) ? `${each.amount} ${each.currency}` : each));
  return texts.every((each) => typeof each === 'string') ? texts.join(', ') || 'nothing' : undefined;
}

const isMoney = (value: unknown): value is { amount: string; currency: string } =>
  typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value;

const changesText = (changes: Effect[]): string =>
  changes
    .map(({ field, from, to }) => printable(`${field}: ${from ?? 'none'} -> ${to ?? 'none'}`))
    .join('\n') || 'Nothing has changed.';

export const approvalTable = (approvals: ApprovalView[]): string =>
  table(
    [
      ...['id', 'what', 'about', 'client', 'comes to', 'why', 'asked by', 'since'],
      ...['status', 'approved first by', 'decided by'],
    ],
    approvals.map((approval) => [
      ...[approval.id, approval.kind, approval.subject, approval.tenantId, whatOf(approval), approval.reason],
      ...[approval.requestedBy, approval.requestedAt, approval.status, approval.firstBy, approval.decidedBy],
    ]),
  );

export function approvalText({ approval, result }: { approval: ApprovalView; result?: object }): string {
  const { id, kind, subject, status } = approval;
  if (status === 'pending') return `${id} needs one more operator, because no operator asked for it.`;
  return `${id} is ${status}${result ? `: ${kind} of ${subject} is done` : ''}.`;
}
