import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
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

/**
 * Calls an operation of the desk so that only its caller may be a reason for a refusal. An operator has a limit of
 * requests, so the call is repeated when the product says when.
 */
export async function callDesk(
  ask: Ask,
  operation: Operation,
  headers: Record<string, string> = {},
): Promise<Told> {
  const needed = operation.queries.filter(({ required }) => required).map(({ name }) => `${name}=attack`);
  const path = [operation.path.replaceAll(/\{\w+\}/g, NOBODY), ...needed].join('?');
  const call = () =>
    ask(operation.method, path, deskBody(operation), { 'x-idempotency-key': randomUUID(), ...headers });
  const answer = await call();
  if (answer.status !== 429) return answer;
  await sleep(1_000 * Number(answer.headers['retry-after']));
  return call();
}
