import type { Client, Connection } from '@temporalio/client';
import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import { type IdKind, PREFIXES } from '../ids';
import type { WorkflowCommand } from '../outbox/commands';
import { recordIdIn } from './record-address';
import { SEARCH_ATTRIBUTES } from './signals';

/** Number of `Keyword` in temporal.api.enums.v1.IndexedValueType. */
const KEYWORD = 2;

/** Declared when a Temporal dev server starts. On other servers the product registers them. */
export const DECLARED_SEARCH_ATTRIBUTES = Object.fromEntries(
  Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 'Keyword' as const]),
);

/**
 * Registers search attributes that the namespace lacks. Idempotent and safe in many processes at once.
 * @throws Error when Temporal is away or refuses
 */
export async function registerSearchAttributes(client: Client): Promise<void> {
  const { operatorService } = client.connection as Connection;
  const { namespace } = client.options;
  const known = await operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(SEARCH_ATTRIBUTES).filter((name) => !(name in known.customAttributes));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}

const tenant = defineSearchAttributeKey(SEARCH_ATTRIBUTES.tenant, 'KEYWORD');
const recordStatus = defineSearchAttributeKey(SEARCH_ATTRIBUTES.recordStatus, 'KEYWORD');
const recordKind = defineSearchAttributeKey(SEARCH_ATTRIBUTES.recordKind, 'KEYWORD');

/**
 * Search attributes of a command's workflow.
 * @param status the record's status, if known; the workflow sets it as well
 */
export function searchAttributesOf(command: WorkflowCommand, status?: string): TypedSearchAttributes {
  const kind = recordKindOf(command.workflowId);
  const pairs: SearchAttributePair[] = [];
  if (command.tenantId) pairs.push({ key: tenant, value: command.tenantId });
  if (kind) pairs.push({ key: recordKind, value: kind });
  if (status !== undefined) pairs.push({ key: recordStatus, value: status });
  return new TypedSearchAttributes(pairs);
}

const KINDS = new Map(Object.entries(PREFIXES).map(([kind, prefix]) => [prefix as string, kind as IdKind]));

/** Kind of the record in a workflow's id: `card-issuance-card_01h…` drives a card. */
export function recordKindOf(workflowId: string): IdKind | undefined {
  const [prefix] = recordIdIn(workflowId)?.split('_') ?? [];
  return prefix === undefined ? undefined : KINDS.get(prefix);
}
