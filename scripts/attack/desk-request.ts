import { randomUUID } from 'node:crypto';
import type { Operation } from '../../test/attack/operations';
import type { Ask, Told } from '../../test/support/ask';
import { NOBODY } from './world';

const KNOWN: Record<string, unknown> = { subject: NOBODY, input: {}, reason: 'attack', payloads: [] };

/** A body that passes the schema of its operation of the desk, about nothing that exists. */
export function deskBody({ body }: Operation): Record<string, unknown> | undefined {
  if (!body) return undefined;
  const { properties = {}, required = [] } = body;
  const fields = Object.keys(properties).filter((name) => name in KNOWN || required.includes(name));
  return Object.fromEntries(fields.map((name) => [name, KNOWN[name] ?? 'attack']));
}

/** Calls an operation of the desk so that only its caller may be a reason for a refusal. */
export const callDesk = (
  ask: Ask,
  operation: Operation,
  headers: Record<string, string> = {},
): Promise<Told> => {
  const needed = operation.queries.filter(({ required }) => required).map(({ name }) => `${name}=attack`);
  const path = [operation.path.replaceAll(/\{\w+\}/g, NOBODY), ...needed].join('?');
  return ask(operation.method, path, deskBody(operation), { 'x-idempotency-key': randomUUID(), ...headers });
};
