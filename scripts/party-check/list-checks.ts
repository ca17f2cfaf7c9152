import { pageSchema, rowSchema } from '../../src/parties/protocol/changes';
import { describeReply, isDone } from './caller';
import { type Context, within } from './context';
import { type Check, Failed, needed } from './outcome';

export interface Row {
  id: string;
  ref: string;
}

/** Longer lists are not read to the end. */
const MAX_PAGES = 2_000;

/**
 * Checks `GET /changes`, by which we find the changes of lost callbacks. Part of them begins before anything is
 * ordered.
 */
export function listChecks(context: Context): { before: Check[]; after: Check[] } {
  if (!context.protocol.changes) return { before: [], after: [] };
  let end: string | null | undefined;
  const known = () => needed(end, 'the list could not be read to its end');
  return {
    before: [
      {
        name: 'changes.pages',
        what: 'the list can be read page by page from the beginning to the end',
        money: 'We never find the change of a lost callback, such as a return or a chargeback.',
        run: async () => {
          const { rows, place } = await readToEnd(context, null);
          context.listed = rows;
          end = place;
        },
      },
    ],
    after: [
      {
        name: 'changes.lists',
        what: 'the list has the new orders, after the place that was its end before',
        money: 'We find the changes of an order with a lost callback late, or never.',
        run: () => mustList(context, known()),
      },
      {
        name: 'changes.stable',
        what: 'every reading at a place has the same changes, each with its own name',
        money: 'We never see a change that moves before a place that we have read.',
        run: () => mustBeStable(context, known()),
      },
    ],
  };
}

interface Page {
  rows: Row[];
  next: string | null;
  more: boolean;
}

async function readPage({ ask }: Context, place: string | null): Promise<Page> {
  const path = place === null ? '/changes' : `/changes?after=${encodeURIComponent(place)}`;
  const reply = await ask({ method: 'GET', path });
  if (!isDone(reply)) throw new Failed(`GET ${path} was answered with ${describeReply(reply)}`);
  const page = pageSchema.safeParse(reply.body);
  if (!page.success) throw new Failed(`GET ${path} is no page: ${page.error.issues[0]?.path.join('.')}`);
  const rows = page.data.changes.map((row) => {
    const parsed = rowSchema.safeParse(row);
    if (!parsed.success) throw new Failed(`a row cannot be read: ${JSON.stringify(row).slice(0, 160)}`);
    return parsed.data;
  });
  return { rows, next: page.data.next ?? place, more: page.data.more };
}

async function readToEnd(
  context: Context,
  from: string | null,
): Promise<{ rows: Row[]; place: string | null }> {
  const rows: Row[] = [];
  let place = from;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await readPage(context, place);
    rows.push(...page.rows);
    if (page.more && page.next === place) throw new Failed('there is more, but the place stays where it is');
    place = page.next;
    if (!page.more) return { rows, place };
  }
  throw new Failed(`it has no end within ${MAX_PAGES} pages`);
}

async function mustList(context: Context, from: string | null): Promise<void> {
  const wanted = needed(context.made[0] && context.made, 'nothing was ordered').map(({ ref }) => ref);
  let missing = wanted;
  await within(context.patienceMs, async () => {
    const refs = new Set((await readToEnd(context, from)).rows.map(({ ref }) => ref));
    missing = wanted.filter((ref) => !refs.has(ref));
    return missing.length === 0 ? true : undefined;
  });
  if (missing.length > 0)
    throw new Failed(`after ${context.patienceMs / 1000} seconds it does not list ${missing.join(', ')}`);
}

/** A reading at a place may gain changes. The earlier ones stay, in their order. */
async function mustBeStable(context: Context, from: string | null): Promise<void> {
  const first = (await readToEnd(context, from)).rows.map(({ id }) => id);
  if (new Set(first).size < first.length) throw new Failed('two changes have one id');
  const second = (await readToEnd(context, from)).rows.map(({ id }) => id);
  const gone = first.find((id) => !second.includes(id));
  if (gone !== undefined) throw new Failed(`${gone} stood after that place, and does no more`);
  const left = second.filter((id) => first.includes(id));
  if (left.join() !== first.join()) throw new Failed('the order has changed');
}
