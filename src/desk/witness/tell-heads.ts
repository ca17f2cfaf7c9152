import { markTold, noteHead, untoldHeads } from '../../kernel/audit/heads';
import type { Database } from '../../kernel/db/database';
import type { Witness } from '../../parties/witness/port';

export interface TellHeadsDeps {
  database: Database;
  parties: { witness: Witness };
  now(): Date;
}

const HOUR_MS = 3_600_000;
/** More than the hours of a month, so that a witness that was away for long gets all of them in one run. */
const MAX_HEADS = 1_000;

/**
 * Notes the head of the audit chain for the present hour, and tells the witness all heads that it has not been told, the oldest
 * first. Idempotent: a repeat in the same hour tells the same head.
 * @returns the number of told heads
 * @throws PartyAway, PartyRefused as {@link Witness.tell}; later heads then wait
 */
export async function tellHeads({ database, parties, now }: TellHeadsDeps): Promise<number> {
  const { witness } = parties;
  if (!witness.configured) return 0;
  await noteHead(database, new Date(Math.floor(now().getTime() / HOUR_MS) * HOUR_MS));
  const heads = await untoldHeads(database, MAX_HEADS);
  for (const head of heads) {
    await witness.tell(head);
    await markTold(database, head);
  }
  return heads.length;
}
