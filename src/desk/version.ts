import { z } from 'zod';
import { invalid, Problem } from '../kernel/errors';
import type { Effect, Facts } from '../process/desk/decision';

const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** The facts that a decision rests on, as opaque text. A client returns it unchanged with the decision. */
export const versionOf = (given: Facts): string => Buffer.from(JSON.stringify(given)).toString('base64url');

/** @throws Problem 400 for a text that is no version */
export function factsOf(version: string): Facts {
  try {
    return facts.parse(JSON.parse(Buffer.from(version, 'base64url').toString()));
  } catch {
    throw invalid('version is not a version of a subject.', 'version');
  }
}

/** @throws Problem 409 `version_conflict` with each fact that has changed, before and after */
export function assertUnchanged(before: Facts, now: Facts): void {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const changed: Effect[] = names
    .filter((name) => (before[name] ?? null) !== (now[name] ?? null))
    .map((field) => ({ field, from: textOf(before[field]), to: textOf(now[field]) }));
  if (changed.length === 0) return;
  const what = changed
    .map(({ field, from, to }) => `${field}: ${from ?? 'none'} -> ${to ?? 'none'}`)
    .join('; ');
  throw new Problem(409, 'version_conflict', `It has changed since (${what}).`, 'version', undefined, {
    changed,
  });
}

const textOf = (fact: Facts[string] | undefined): string | null =>
  fact === null || fact === undefined ? null : String(fact);
