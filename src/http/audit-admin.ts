import { audit, isAudited } from '../kernel/audit/audit';
import type { Caller } from '../kernel/caller';
import type { Sql } from '../kernel/db/database';
import { operationIdOf } from './openapi/operation-id';
import type { AnyRoute, ApiRequest } from './route';

const isAdmin = ({ role }: Caller): boolean => role === 'admin';

/**
 * Audits an admin's change by an operation that writes no entry of its own, so that no operation can forget it. The entry
 * has names of fields and no values.
 */
export async function auditChange(sql: Sql, route: AnyRoute, request: ApiRequest): Promise<void> {
  if (!isAdmin(request.caller) || isAudited(sql)) return;
  await writeChange(sql, route, request);
}

const writeChange = (sql: Sql, route: AnyRoute, request: ApiRequest) =>
  write(sql, route, request, { fields: Object.keys(request.body as object) });

/** Audits an admin's change by a gathered operation, whose transaction other requests share, after its commit. */
export async function auditGathered(
  sql: Sql,
  route: AnyRoute,
  request: ApiRequest,
  status: number,
): Promise<void> {
  if (isAdmin(request.caller) && status < 300) await writeChange(sql, route, request);
}

/** Audits an admin's reading of personal data: which records, and the names of the fields. */
export async function auditReading(
  sql: Sql,
  route: AnyRoute,
  request: ApiRequest,
  answer: unknown,
): Promise<void> {
  const { personal: fields } = route;
  if (!fields || !isAdmin(request.caller)) return;
  const { data } = answer as { data?: unknown };
  const ids = Array.isArray(data) ? data.map(({ id }: { id?: unknown }) => id) : undefined;
  await write(sql, route, request, { fields, ids });
}

const write = (sql: Sql, route: AnyRoute, { caller, requestId, params }: ApiRequest, after: object) =>
  audit(sql, {
    caller,
    requestId,
    action: operationIdOf(route),
    subject: Object.values(params).at(-1) ?? '',
    tenantId: null,
    after,
  });
