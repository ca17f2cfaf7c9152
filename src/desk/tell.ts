import { notFound } from '../kernel/errors';
import { type IdKind, kindOfId } from '../kernel/ids';
import type { RecordOfDesk } from '../process/desk/record';
import type { DeskDeps, Story } from '../process/desk/story';
import type { Catalogue } from './catalogue';
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
