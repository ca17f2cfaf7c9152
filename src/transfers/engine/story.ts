import type { Sql } from '../../kernel/db/database';
import { formatAmount } from '../../kernel/money/money';
import { commonLists, isOverdue, line } from '../../process/desk/common-lists';
import { type DeskDeps, type Line, type Story, storyOf } from '../../process/desk/story';
import type { Holding } from './books/position';
import type { AnyKind } from './kind';
import { bookedOf, entriesOf, readSituation, wordsOf } from './read';
import type { Situation, Transfer } from './record';

/**
 * The story of a transfer, that is money that crosses our border.
 * @param viewOf the wire view of the kind's record. Absent: the terms alone
 */
export async function transferStory(
  { database, now }: DeskDeps,
  kind: AnyKind,
  { id, limit, viewOf }: { id: string; limit: number; viewOf?: (situation: Situation) => Promise<object> },
): Promise<Story | undefined> {
  const situation = await readSituation(database, kind, id, now());
  if (!situation) return undefined;
  const { transfer } = situation;
  const workflowId = kind.process.look(transfer).workflowId;
  const entries = await entriesOf(database, id, limit + 1);
  const references = [...new Set([transfer.referenceId, ...entries.map(({ reference }) => reference)])];
  const common = await commonLists(database, { id, references, workflowId }, limit);
  return storyOf(
    id,
    {
      what: kind.name,
      tenantId: transfer.tenantId,
      status: transfer.status,
      since: transfer.reached[transfer.status] ?? transfer.updatedAt.toISOString(),
      record: recordOf(transfer, await viewOf?.(situation)),
      workflowId,
      dueBy: transfer.dueBy?.toISOString() ?? null,
      overdue: isOverdue(transfer.dueBy, situation.at),
    },
    {
      ...common,
      words: await reportLines(database, transfer, limit + 1),
      screenings: ((await kind.screening?.changes(database, id, limit + 1)) ?? []).map(line),
      decisions: situation.decisions.map(decisionLine),
      booked: ((await bookedOf(database, [id])).get(id) ?? []).map(holdingLine),
      entries: entries.map(({ reference, at, ...holding }) => ({
        at: at.toISOString(),
        ...holdingLine(holding),
        reference,
      })),
    },
    limit,
  );
}

/** Fields that all transfers have, then those of the kind's view. */
function recordOf(transfer: Transfer, view: object = {}): object {
  const { accountId, referenceId, partyRef, orderedAt, failure, lookAt, createdAt, reached } = transfer;
  const own = line({ accountId, referenceId, partyRef, orderedAt, failure, lookAt, createdAt });
  return { ...own, reached, terms: transfer.terms, parts: transfer.parts, ...view };
}

/** The party's stored words, then the last answer that was not applied: doubted, or dropped as older. */
async function reportLines(sql: Sql, transfer: Transfer, limit: number): Promise<Line[]> {
  const kept = await wordsOf(sql, transfer.id, limit);
  const { doubted: word, doubtedAt: at } = transfer;
  const doubted = word ? [{ word, ...(at ? { at, doubted: true } : { dropped: true }) }] : [];
  return [...kept.map(({ at, version, word }) => line({ at, version, word })), ...doubted.map(line)];
}

function decisionLine(decision: Situation['decisions'][number]): Line {
  const { at, kind, decidedBy, reason, amount, currency, accountId, data } = decision;
  const money =
    amount === null || currency === null ? {} : { amount: formatAmount(amount, currency), currency };
  return line({ at, decision: kind, decidedBy, reason, ...money, accountId: accountId ?? undefined, data });
}

function holdingLine(holding: Holding): Line {
  const { component, part, account, currency, amount } = holding;
  return {
    component,
    part,
    account: account ?? 'internal',
    amount: formatAmount(amount, currency),
    currency,
  };
}
