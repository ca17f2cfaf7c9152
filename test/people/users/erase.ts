import { eraseUser } from '../../../src/people/erasure';
import { openTransferOf } from '../../../src/transfers/open-of-user';
import type { Client, TestApi } from '../../support/api';

/** Erases a user, as the decision `user.erase` does. */
export const erase = (api: TestApi, id: string) =>
  api.database.transaction((tx) => eraseUser({ ...api.services, openTransferOf }, tx, id));

/** Lets a user have been unchanged for so many years. */
export const age = (api: TestApi, id: string, years: number) =>
  api.database.query(`update users set updated_at = now() - make_interval(years => $2) where id = $1`, [
    id,
    years,
  ]);

/** Blocks a user, who may then be erased. */
export async function block(api: TestApi, client: Client, id: string): Promise<void> {
  await client.call('PATCH', `/v1/users/${id}/status`, { status: 'blocked', reason: 'Ended' });
  await age(api, id, 6);
}
