import type { Sql } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import { requireTenant } from '../../../tenants/clients/operations';
import type { TenantSettings } from '../../../tenants/clients/settings';
import { type Usage, usageOfTenant, usageOfUser } from './usage-store';

const MIB = 1024 * 1024;

/** The owner of a file. A file of a cardholder belongs to no user yet. */
export interface FileOwner {
  tenantId: string;
  userId?: string | undefined;
}

/**
 * Checks the quotas of a user and of the tenant, both before a file is stored and after its record is written. The
 * record's transaction holds the locks of both counts, so that no uploads together pass a quota.
 * @param coming bytes of a file that is not recorded yet
 * @throws Problem 409 `limit_exceeded`, naming the quota's setting
 */
export async function assertWithinQuota(
  sql: Sql,
  { tenantId, userId }: FileOwner,
  coming?: number,
): Promise<void> {
  const { documents: quotas } = (await requireTenant(sql, tenantId)).settings;
  if (userId !== undefined)
    assertUsage('The user', await usageOfUser(sql, userId), coming, quotas, 'perUser');
  assertUsage('The company', await usageOfTenant(sql, tenantId), coming, quotas, 'total');
}

function assertUsage(
  who: string,
  { count, bytes }: Usage,
  coming: number | undefined,
  quotas: TenantSettings['documents'],
  name: 'perUser' | 'total',
): void {
  const [most, mib] = [quotas[name], quotas[`${name}Mib` as const]];
  if (count + (coming === undefined ? 0 : 1) > most)
    throw conflict('limit_exceeded', `${who} may store ${most} files (documents.${name}).`, 'file');
  if (bytes + (coming ?? 0) > mib * MIB)
    throw conflict('limit_exceeded', `${who} may store ${mib} MiB of files (documents.${name}Mib).`, 'file');
}
