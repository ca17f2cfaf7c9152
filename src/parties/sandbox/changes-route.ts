import type { Context } from 'koa';
import type { Database } from '../../kernel/db/database';
import { answer, refuse } from './answers';
import { changeName } from './change-name';
import type { SandboxParty } from './options';
import { type Place, readChanges } from './read-changes';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

/** Answers `GET /changes?after=<cursor>&limit=` for every party: past changes in the order of time. */
export async function answerChanges(
  ctx: Context,
  party: SandboxParty,
  { database, now }: { database: Database; now: () => Date },
): Promise<void> {
  const { after, limit } = ctx.query;
  const place = after === undefined ? null : placeOf(String(after));
  if (place === undefined) return refuse(ctx, 400, 'invalid_place');
  const length = limitOf(limit);
  const listed = await readChanges(database, party, { after: place, until: now(), limit: length + 1 });
  const page = listed.slice(0, length);
  const last = page.at(-1);
  answer(ctx, 200, {
    changes: page.map(({ number, ref, version }) => ({ id: changeName(number), ref, version })),
    next: last ? textOf(last) : (after ?? null),
    more: listed.length > length,
  });
}

function limitOf(given: string | string[] | undefined): number {
  const limit = Number(given ?? DEFAULT_LIMIT);
  return Number.isInteger(limit) ? Math.min(Math.max(limit, 1), MAX_LIMIT) : DEFAULT_LIMIT;
}

/** The cursor is opaque to readers, which only send it back. */
const textOf = ({ at, number }: Place): string =>
  Buffer.from(`${at.getTime()} ${number}`).toString('base64url');

function placeOf(text: string): Place | undefined {
  const parts = /^(\d{1,15}) (\d{1,18})$/.exec(Buffer.from(text, 'base64url').toString());
  return parts ? { at: new Date(Number(parts[1])), number: String(parts[2]) } : undefined;
}
