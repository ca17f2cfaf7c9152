import { z } from 'zod';
import type { Sql } from '../kernel/db/database';
import { moneyText } from '../kernel/money/money';
import { type Decision, decision, type Effect, type SubjectSpec } from '../process/desk/decision';
import { type Desk, defineDesk } from '../process/desk/desk';
import { type Finder, finder, finderById } from '../process/desk/finder';
import type { Services } from '../services';
import { concludeTransfer, previewConclusion } from './conclude';
import type { Holding } from './engine/books/position';
import { CONCLUSIONS, type Conclusion, effective } from './engine/conclusion';
import type { AnyKind } from './engine/kind';
import { foundByKey, foundByRef, lockTransfer, readSituation } from './engine/read';
import { last, type Situation } from './engine/record';
import { fingerprintOf } from './engine/restored';
import { findKind, TRANSFER_IDS, TRANSFER_KINDS } from './kinds';

/** A transfer of any kind, with the party's own word. */
export interface AnyTransfer {
  kind: AnyKind;
  reported: Situation;
}

/** A transfer of any kind as the subject of a decision. */
export const anyTransfer = ({ now }: Pick<Services, 'now'>): SubjectSpec<AnyTransfer> => ({
  noun: 'transfer',
  kinds: TRANSFER_IDS,
  async read(sql, id) {
    const kind = await findKind(sql, id);
    const reported = kind && (await readSituation(sql, kind, id, now()));
    return reported && { kind, reported };
  },
  async lock(tx, id) {
    const kind = await findKind(tx, id);
    const locked = kind && (await lockTransfer(tx, kind, id, now()));
    return locked && { kind, reported: locked.situation };
  },
  tenantOf: ({ reported }) => reported.transfer.tenantId,
});

/** The postings of a decision, in numbers. */
export const moveEffects = (moves: readonly Holding[]): Effect[] =>
  moves.map(({ component, account, ...money }) => ({
    field: account === null ? component : `${component} of ${account}`,
    from: null,
    to: moneyText(money),
  }));

/** The desk of transfers that their party never ends. */
export const transferDesk = (services: Pick<Services, 'database' | 'commands' | 'now'>): Desk =>
  defineDesk({
    name: 'transfer',
    title: 'Transfers of any kind',
    decisions: [conclude(services)],
    finds: transferFinders(services.database),
  });

const REFERENCE = /^\S{3,200}$/;

function transferFinders(sql: Sql): Finder[] {
  const parties = [...new Set(TRANSFER_KINDS.map(({ party }) => party))];
  return [
    finderById(sql, { table: 'transfers', kinds: TRANSFER_IDS, noun: 'transfer' }),
    finder({
      name: 'transfer-by-idempotency-key',
      title: "the client's idempotency key of a transfer",
      pattern: REFERENCE,
      find: (text, limit) => foundByKey(sql, text, limit),
    }),
    finder({
      name: 'transfer-by-party-reference',
      title: 'the name of a transfer at its party',
      pattern: REFERENCE,
      find: (text, limit) => foundByRef(sql, parties, text, limit),
    }),
  ];
}

const conclude = (services: Pick<Services, 'commands' | 'now'>): Decision =>
  decision<AnyTransfer, { as: Conclusion }>({
    name: 'transfer.conclude',
    title: 'ends a transfer that its party never ends, until the party says something else',
    permission: 'money',
    subject: anyTransfer(services),
    input: z.strictObject({ as: z.enum(CONCLUSIONS).meta({ description: 'How it has ended.' }) }),
    // The party may save an unchanged record under another version, so that the version does not count.
    restsOn: ({ reported }) => ({
      status: reported.transfer.status,
      reported: reported.transfer.word && fingerprintOf({ ...reported.transfer.word, version: undefined }),
      concluded: last(reported, 'conclude')?.id ?? null,
      decisions: reported.decisions.length,
    }),
    async weigh(_, { subject: { kind, reported }, input }) {
      return { ...previewConclusion(kind, reported, input.as).money, ever: true };
    },
    async preview(_, { subject: { kind, reported }, input }) {
      const { status, becomes, moves } = previewConclusion(kind, reported, input.as);
      return [{ field: 'status', from: status, to: becomes }, ...moveEffects(moves)];
    },
    async execute(tx, { id: transferId, subject, input: { as } }, { decidedBy, reason }) {
      const evidence = reason ?? '';
      const { after } = await concludeTransfer(services, tx, { transferId, as, evidence, decidedBy });
      const { status } = after.transfer;
      return {
        before: { status: effective(subject.kind, subject.reported).transfer.status },
        after: { status, as },
        result: { transferId, status },
      };
    },
  });
