import { addFirstOperator, addOperator, admitOperator } from '../../src/desk/operators/operations';
import type { Permission } from '../../src/kernel/permissions';
import type { Client, TestApi } from '../support/api';
import { type Ask, asking } from '../support/ask';
import { created, look } from '../transfers/payouts/support';

export type { Ask, Told } from '../support/ask';

export interface Person {
  name: string;
  secret: string;
}

/** Makes operators who may decide, the first by installation. */
export async function operators({ database, services }: TestApi, ...names: string[]): Promise<Person[]> {
  const { keyring } = services;
  const made: Person[] = [];
  for (const name of names) {
    const { operatorId: id, operatorSecret: secret } = await database.transaction((tx) =>
      made.length === 0
        ? addFirstOperator(tx, keyring, { name })
        : addOperator(tx, keyring, { name, createdBy: 'applicant' }),
    );
    for (const { name: by } of made.slice(0, 2))
      await database.transaction((tx) => admitOperator(tx, { id, by: `operator:${by}`, at: new Date() }));
    made.push({ name, secret });
  }
  return made;
}

export const permit = async (
  { database }: TestApi,
  name: string,
  permissions: Permission[],
): Promise<void> => {
  await database.query('update operators set permissions = $2 where name = $1', [name, permissions]);
};

/** Calls a desk. */
export const calling = (url: string, own: Record<string, string> = {}): Ask => {
  const ask = asking(url, own);
  return (method, path, ...given) => ask(method, path.startsWith('/') ? path : `/desk/v1/${path}`, ...given);
};

/** Signs in. */
export async function asOperator(url: string, person: Person): Promise<Ask> {
  const { body } = await calling(url)('POST', 'sessions', person);
  return calling(url, { authorization: `Bearer ${body.token}` });
}

let keys = 0;
export const key = () => ({ 'x-idempotency-key': `desk-${(keys += 1)}` });

/** A payout above its tenant's threshold, which waits for an operator. */
export async function pendingPayout(api: TestApi, client: Client, accountId: string): Promise<string> {
  const id = await created(client, accountId, { amount: '10000.00' });
  expect(await look(api, id)).toBe('pending_approval');
  return id;
}
