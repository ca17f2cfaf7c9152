import { z } from 'zod';
import { requireLockedCard } from '../../cards/cards/operations';
import { CARD_CONCLUSIONS, concludeCardOrder, requireOpenOrder } from '../../cards/orders/conclude';
import { waitingAmount } from '../../cards/orders/overdue';
import { conflict } from '../../kernel/errors';
import { MONEY_PARTIES } from '../../kernel/outbox/queues';
import { SETTLED_PARTIES } from '../../kernel/parties';
import { amount, assertFits, currency } from '../../kernel/wire/schemas';
import { CHAIN_CREDIT } from '../../transfers/chain-deposits/held-credit';
import { concludeTransfer, holdTransfer, weighConclusion } from '../../transfers/conclude';
import { mostOf } from '../../transfers/engine/books/inflow';
import { CONCLUSIONS } from '../../transfers/engine/conclusion';
import { followAgain, followAllAgain, restoredOf, weighFollowing } from '../../transfers/restored';
import { restoredView } from '../../transfers/restored-view';
import { moveSettlement, settlementAccount } from '../../transfers/settlement/move';
import { SETTLEMENT_MOVES } from '../../transfers/settlement/record';
import { cardDeps } from '../card-deps';
import { type AnyDecisionKind, kind } from './kind';
import { chainCredit, chainDeposit, chainDepositTakenBack } from './on-chain';

const conclusion = kind({
  // The weighing fills in `over`.
  terms: z.object({
    transferId: z.string(),
    as: z.enum(CONCLUSIONS),
    over: z.string().nullable().default(null),
  }),
  async weigh(session, tx, terms) {
    const { money, tenantId, over } = await weighConclusion(tx, terms, session.now());
    return { ...money, tenantId, subject: terms.transferId, ever: true, terms: { ...terms, over } };
  },
  hold: (session, tx, transferId) => holdTransfer(tx, transferId, session.now()),
  async execute(session, tx, terms, { reason: evidence, decidedBy }) {
    const { transferId, as } = terms;
    const { before, after } = await concludeTransfer(session, tx, { ...terms, evidence, decidedBy });
    const { status, tenantId } = after.transfer;
    const entry = {
      action: 'transfer.conclude',
      subject: transferId,
      tenantId,
      before: { status: before.transfer.status },
      after: { status, as, evidence },
    };
    return { entry, result: { transferId, status } };
  },
});

const cardOrderConclusion = kind({
  terms: z.object({ cardId: z.string(), as: z.enum(CARD_CONCLUSIONS) }),
  async weigh(_, tx, terms) {
    const card = await requireOpenOrder(tx, terms.cardId, terms.as);
    const { id: subject, tenantId, currency } = card;
    return { amount: await waitingAmount(tx, card), currency, subject, tenantId, ever: true, terms };
  },
  async hold(_, tx, cardId) {
    await requireLockedCard(tx, cardId);
  },
  async execute(session, tx, terms, { reason: evidence }) {
    const { cardId, as } = terms;
    const before = await requireOpenOrder(tx, cardId, as);
    const { status, tenantId } = await concludeCardOrder({ ...session, ...cardDeps() }, tx, terms);
    const entry = {
      action: 'card-order.conclude',
      subject: cardId,
      tenantId,
      before: { status: before.status },
      after: { status, as, evidence },
    };
    return { entry, result: { cardId, status } };
  },
});

const followed = kind({
  terms: z.object({ transferId: z.string(), word: z.string().optional() }),
  async weigh(session, tx, terms) {
    const { money, restored } = await weighFollowing(tx, terms, session.now());
    const { tenantId, word } = restored;
    return { ...money, tenantId, subject: terms.transferId, ever: true, terms: { ...terms, word } };
  },
  hold: (session, tx, transferId) => holdTransfer(tx, transferId, session.now()),
  async execute(session, tx, { transferId, word }, { reason, decidedBy }) {
    const { before, after } = await followAgain(session, tx, { transferId, word, reason, decidedBy });
    const { status, tenantId } = after.transfer;
    const entry = {
      action: 'transfer.follow-version',
      subject: transferId,
      tenantId,
      before: { status: before.transfer.status },
      after: { status, word, reason },
    };
    return { entry, result: { transferId, status } };
  },
});

/** The terms hold a preview of each transfer, so that the second operator sees what would move. */
const partyFollowed = kind({
  always: true,
  terms: z.object({
    party: z.enum(MONEY_PARTIES),
    transfers: z.array(z.object({ id: z.string(), word: z.string() }).loose()).default([]),
  }),
  async weigh(session, tx, { party }) {
    const all = await restoredOf(tx, party, session.now());
    if (all.length === 0)
      throw conflict('invalid_transition', 'The party tells of no older version of any transfer.');
    const most = mostOf(all.flatMap(({ moves }) => moves));
    const terms = { party, transfers: all.map(restoredView) };
    return { ...most, subject: party, tenantId: null, ever: false, terms };
  },
  async execute(session, tx, { party: subject, transfers }, by) {
    const result = await followAllAgain(session, tx, transfers, by);
    const after = { ...result, reason: by.reason };
    return { entry: { action: 'party.follow-versions', subject, tenantId: null, after }, result };
  },
});

const settlementMove = kind({
  terms: z.object({
    party: z.enum(SETTLED_PARTIES),
    currency: currency(),
    amount: amount(),
    as: z.enum(SETTLEMENT_MOVES),
  }),
  async weigh(_, __, terms) {
    const { party, amount: moved, currency: its } = terms;
    assertFits(moved, its);
    const about = { subject: settlementAccount(party, its), tenantId: null, ever: false };
    return { ...about, amount: moved, currency: its, terms: { ...terms, amount: moved.toFixed() } };
  },
  async execute(session, tx, terms, { reason }) {
    const result = await moveSettlement(tx, terms, session.now());
    const [action, subject] = ['settlement.move', settlementAccount(terms.party, terms.currency)];
    return { entry: { action, subject, tenantId: null, after: { ...result, reason } }, result };
  },
});

/** Decisions that need two operators above the limit. Stored approvals refer to these names. */
export const DECISION_KINDS = {
  'transfer.conclude': conclusion,
  'card-order.conclude': cardOrderConclusion,
  'transfer.follow-version': followed,
  'party.follow-versions': partyFollowed,
  'settlement.move': settlementMove,
  'chain-deposit.record': chainDeposit,
  'chain-deposit.take-back': chainDepositTakenBack,
  [CHAIN_CREDIT]: chainCredit,
} as const satisfies Record<string, AnyDecisionKind>;

export type DecisionName = keyof typeof DECISION_KINDS;
