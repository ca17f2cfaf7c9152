import { NOW, raw } from '../../kernel/db/build';
import { databaseTime } from '../../kernel/db/clock';
import type { Sql } from '../../kernel/db/database';
import { json, recordTable } from '../../kernel/db/record-table';
import { overdueIn } from '../../process/overdue';
import { cardsOfProcessor } from '../cards/operations';
import type { KeptMessage } from './record';

/** Names of a message and its card, for the lookup before any lock. */
export interface MessageLookup {
  messageId: string;
  cardReference: string;
}

export interface FoundMessage {
  /** The stored answer, when it is not under an idempotency key. */
  kept?: Pick<KeptMessage, 'fingerprint' | 'status' | 'body'>;
  /** Undefined when no card has the reference, or more than one. */
  card?: { id: string; tenantId: string };
}

interface Row {
  place: string;
  fingerprint: Buffer | null;
  status: number;
  body: string;
  card_id: string | null;
  tenant_id: string;
}

/** Looks up messages and their cards in one statement. @returns one result per lookup, in their order */
export async function lookUpMessages(sql: Sql, lookups: MessageLookup[]): Promise<FoundMessage[]> {
  // Prepared, because every message runs it. The lateral joins make it use the indexes even if planned on small tables.
  const rows = await sql.prepared<Row>(
    'processor-messages-look-up',
    `select u.place, m.fingerprint, m.status, m.body, c.id as card_id, c.tenant_id
       from unnest($1::text[], $2::text[]) with ordinality as u(message, card, place)
       left join lateral (select fingerprint, status, body from processor_messages where message_id = u.message limit 1) m
         on true
       left join lateral (${cardsOfProcessor('u.card')}) c on true`,
    [lookups.map(({ messageId }) => messageId), lookups.map(({ cardReference }) => cardReference)],
  );
  const found = lookups.map((): Row[] => []);
  for (const row of rows) found[Number(row.place) - 1]?.push(row);
  return found.map(([first, another]) => ({
    ...(first?.fingerprint
      ? { kept: { fingerprint: first.fingerprint, status: first.status, body: first.body } }
      : {}),
    ...(first?.card_id && !another ? { card: { id: first.card_id, tenantId: first.tenant_id } } : {}),
  }));
}

/** The card with a reference at the processor; undefined when no card has it, or more than one. */
export async function findCardNamed(
  sql: Sql,
  reference: string,
): Promise<{ cardId: string; tenantId: string } | undefined> {
  const rows = await sql.query<{ id: string; tenant_id: string }>(cardsOfProcessor('$1::text'), [reference]);
  const [card] = rows;
  return card && rows.length === 1 ? { cardId: card.id, tenantId: card.tenant_id } : undefined;
}

const messages = recordTable<KeptMessage>('processor_messages', { message: json }, [
  'id',
  'messageId',
  'reason',
  'fingerprint',
  'message',
  'status',
  'body',
  'tenantId',
  'receivedAt',
  'dueBy',
  'settledAt',
]);

/**
 * Stores a message, or finds the one that was stored under its id and keeps the earlier arrival.
 * @param since the arrival, in milliseconds of the monotonic clock
 * @returns the stored message
 */
export async function keepMessage(
  tx: Sql,
  given: Omit<KeptMessage, 'dueBy' | 'receivedAt'>,
  since: number,
): Promise<KeptMessage> {
  const receivedAt = await timeOf(tx, since);
  return messages.saved(
    tx,
    messages()
      .insert({ ...messages.row(given), receivedAt, dueBy: NOW })
      .onConflict('messageId')
      .merge({ receivedAt: raw('least(processor_messages.received_at, excluded.received_at)') }),
  );
}

/** A moment of this process by the database's clock. May be earlier by the duration of the query, never later. */
async function timeOf(sql: Sql, moment: number): Promise<Date> {
  const now = await databaseTime(sql);
  return new Date(now.getTime() - Math.ceil(performance.now() - moment));
}

export const findKept = (sql: Sql, id: string) => messages.one(sql, messages().where({ id }));

/** Replaces the answer that repeats of the message get. */
export async function answerKept(
  tx: Sql,
  id: string,
  answer: Pick<KeptMessage, 'status' | 'body'>,
): Promise<void> {
  await tx.run(messages().where({ id }).update(answer));
}

/** Marks a message as settled. */
export async function settleKept(
  tx: Sql,
  id: string,
  change: Partial<Pick<KeptMessage, 'reason'>> = {},
): Promise<void> {
  await tx.run(
    messages()
      .where({ id })
      .update({ ...change, settledAt: NOW }),
  );
}

/** Messages whose money may still be held. The condition matches a partial index. */
export const overdueMessages = overdueIn<Pick<KeptMessage, 'id' | 'tenantId'>>('processor_messages', {
  columns: ['id', 'tenantId'],
  dueBy: 'due_by',
  open: 'settled_at is null',
});
