import type { Client, TestApi } from './api';

/** An admin's credential that belongs to an operator. */
export async function adminOf(api: Pick<TestApi, 'client' | 'database'>, name: string): Promise<Client> {
  const admin = await api.client('admin');
  await api.database.query(
    'update tenants set operator_id = (select id from operators where name = $2) where id = $1',
    [admin.clientId, name],
  );
  return admin;
}
