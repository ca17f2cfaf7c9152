import { audit } from '../kernel/audit/audit';
import type { Caller } from '../kernel/caller';
import type { Tx } from '../kernel/db/database';
import { invalid, notFound } from '../kernel/errors';
import { type IdKind, kindOfId } from '../kernel/ids';
import type { Decision } from '../process/desk/decision';
import type { RecordOfDesk } from '../process/desk/record';
import type { DeskDeps, Story } from '../process/desk/story';
import type { Catalogue } from './catalogue';
import { assertPermitted } from './permitted';
import { tellSubject } from './subject-story';

/** Longest list of a story. */
export const MAX_LINES = 1_000;

/** The record of an id, undefined for another subject of the audit log or of a break. */
export function recordOfId({ records }: Pick<Catalogue, 'records'>, id: string): RecordOfDesk | undefined {
  const kind: IdKind | undefined = kindOfId(id);
  return kind && records.get(kind);
}

/**
 * The story of any public id, or of any subject of the audit log or a break.
 * @param limit newest lines of each list
 * @throws Problem 404
 */
export async function tell(
  catalogue: Pick<Catalogue, 'records'>,
  deps: DeskDeps,
  { id, limit }: { id: string; limit: number },
): Promise<Story> {
  const record = recordOfId(catalogue, id);
  const story = record ? await record.story(id, limit) : await tellSubject(deps, id, limit);
  if (!story) throw notFound(record?.kind ?? id);
  return story;
}

/** The decisions on a record of this id's kind. */
export const decisionsAbout = (
  catalogue: Pick<Catalogue, 'decisions' | 'records'>,
  id: string,
): Decision[] => {
  const record = recordOfId(catalogue, id);
  return [...catalogue.decisions.values()].filter(
    ({ subject }) => record !== undefined && subject.kinds.includes(record.kind),
  );
};

/** A request to unmask a record: by whom, and why. */
export interface Revealing {
  caller: Caller;
  requestId: string;
  id: string;
  reason: string;
}

/**
 * Unmasks what a decision on the record needs. The audit log names the operator and the reason before the data is shown.
 * @throws Problem 403; 404; 400 where nothing of such a record is masked
 */
export async function revealRecord(
  catalogue: Pick<Catalogue, 'records'>,
  tx: Tx,
  { caller, requestId, id, reason }: Revealing,
): Promise<object> {
  const record = recordOfId(catalogue, id);
  if (!record?.reveal) throw invalid('Nothing of such a record is masked.');
  assertPermitted(caller, record.reveal.permission);
  const { action, tenantId, data } = await record.reveal.read(tx, id);
  const after = { reason, fields: Object.keys(data) };
  await audit(tx, { caller, requestId, action, subject: id, tenantId, after });
  return data;
}
