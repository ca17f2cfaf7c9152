import { CLASSES, type Finding } from './classify';
import type { Report } from './report';

const SHOWN = 400;
const width = (texts: string[]) => Math.max(0, ...texts.map((text) => text.length));

/** Report lines of an attack with one credential. */
export function figures(name: string, report: Report, findings: Finding[], operations: string[]): string[] {
  const { requests, answers } = report;
  const reached = operations.filter((operation) => answers.has(operation));
  const succeeded = operations.filter((operation) =>
    [...(answers.get(operation)?.keys() ?? [])].some(isSuccess),
  );
  return [
    '',
    `As ${name}: ${requests} requests to ${reached.length} of ${operations.length} operations, ` +
      `${succeeded.length} of which succeeded at least once`,
    ...coverage(report, operations),
    ...findings.filter(({ reason }) => reason === undefined).flatMap(unexplained),
    ...report.errors.map((error) => `  the attacker itself failed: ${error}`),
    ...(report.finished ? [] : ['  the attack did not finish']),
  ];
}

const isSuccess = (status: number) => status >= 200 && status < 300;

function coverage({ answers }: Report, operations: string[]): string[] {
  const wide = width(operations);
  return operations.map((operation) => {
    const statuses = [...(answers.get(operation) ?? new Map<number, number>())].sort(([a], [b]) => a - b);
    const counts = statuses.map(([status, count]) => `${status || 'no answer'}: ${count}`);
    return `  ${operation.padEnd(wide)}  ${counts.join('  ') || 'never called'}`;
  });
}

function unexplained({ class: of, check, operation, status, count, example }: Finding): string[] {
  const cut = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
  return [
    '',
    `  ${of.toUpperCase()} (${check}, ${count} times): ${operation} answered ${status || 'nothing'}`,
    `    ${cut(example.says.replaceAll('\n', ' '))}`,
    `    asked     ${cut(example.request)}`,
    `    answered  ${cut(example.answer)}`,
  ];
}

/** One line for each class, with its unexplained and its explained findings. */
export function summary(findings: Finding[]): string[] {
  const sum = (some: Finding[]) => some.reduce((total, { count }) => total + count, 0);
  const wide = width([...CLASSES]);
  return [
    '',
    ...CLASSES.map((name) => {
      const all = findings.filter((finding) => finding.class === name);
      const open = all.filter(({ reason }) => reason === undefined);
      const known = sum(all) - sum(open);
      return `${name.padEnd(wide)}  ${sum(open)} in ${open.length} findings, ${known} known deviations`;
    }),
  ];
}
