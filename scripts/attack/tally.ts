import type { Ending, Exchange } from '../schemathesis/report';
import { CLASSES, type Finding, judge } from './judge';

/** Findings of the same kind at one operation: the first one, and how many there are. */
export type Counted = Finding & { count: number };

/** Everything that an attack with one credential has seen. */
export interface Tally {
  requests: number;
  /** Number of answers by operation and status. */
  answers: Map<string, Map<number, number>>;
  findings: Map<string, Counted>;
}

export const emptyTally = (): Tally => ({ requests: 0, answers: new Map(), findings: new Map() });

/** The hook of the attack: counts and judges one exchange. */
export function seen(tally: Tally, exchange: Exchange): void {
  const { operation, request, status } = exchange;
  if (request !== '') {
    tally.requests += 1;
    const statuses = tally.answers.get(operation) ?? new Map<number, number>();
    tally.answers.set(operation, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }
  for (const finding of judge(exchange)) {
    const { check, code, field, reason } = finding;
    const kind = [check, operation, status, code, field, reason].join('\n');
    const count = (tally.findings.get(kind)?.count ?? 0) + 1;
    tally.findings.set(kind, { ...(tally.findings.get(kind) ?? finding), count });
  }
}

/** Sorts findings by class, and within a class the unexplained ones first. */
export function findingsOf({ findings }: Tally): Counted[] {
  const weight = ({ class: of, reason }: Finding) => CLASSES.indexOf(of) * 2 + (reason ? 1 : 0);
  return [...findings.values()].sort((a, b) => weight(a) - weight(b));
}

const SHOWN = 400;
const width = (texts: string[]) => Math.max(0, ...texts.map((text) => text.length));

/** Report lines of an attack with one credential. */
export function figures(name: string, tally: Tally, ending: Ending, operations: string[]): string[] {
  const statusesOf = (operation: string) =>
    [...(tally.answers.get(operation) ?? [])].sort(([a], [b]) => a - b);
  const reached = operations.filter((operation) => tally.answers.has(operation));
  const succeeded = operations.filter((operation) =>
    statusesOf(operation).some(([status]) => status >= 200 && status < 300),
  );
  return [
    '',
    `As ${name}: ${tally.requests} requests to ${reached.length} of ${operations.length} operations, ` +
      `${succeeded.length} of which succeeded at least once`,
    ...operations.map((operation) => {
      const counts = statusesOf(operation).map(([status, count]) => `${status || 'no answer'}: ${count}`);
      return `  ${operation.padEnd(width(operations))}  ${counts.join('  ') || 'never called'}`;
    }),
    ...findingsOf(tally)
      .filter(({ reason }) => reason === undefined)
      .flatMap(unexplained),
    ...ending.errors.map((error) => `  the attacker itself failed: ${error}`),
    ...(ending.finished ? [] : ['  the attack did not finish']),
  ];
}

function unexplained({
  class: of,
  check,
  operation,
  status,
  count,
  says,
  request,
  answer,
}: Counted): string[] {
  const cut = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
  return [
    '',
    `  ${of.toUpperCase()} (${check}, ${count} times): ${operation} answered ${status || 'nothing'}`,
    `    ${cut(says.replaceAll('\n', ' '))}`,
    `    asked     ${cut(request)}`,
    `    answered  ${cut(answer)}`,
  ];
}

/** Report lines of the whole attack: each class with its unexplained findings and its known exceptions. */
export function summary(findings: Counted[]): string[] {
  const sum = (some: Counted[]) => some.reduce((total, { count }) => total + count, 0);
  return [
    '',
    ...CLASSES.map((name) => {
      const all = findings.filter((finding) => finding.class === name);
      const open = all.filter(({ reason }) => reason === undefined);
      const known = sum(all) - sum(open);
      return `${name.padEnd(width(CLASSES))}  ${sum(open)} in ${open.length} findings, ${known} known exceptions`;
    }),
  ];
}
