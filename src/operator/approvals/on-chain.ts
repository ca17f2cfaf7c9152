import { z } from 'zod';
import { confirmable } from '../../chain/gas-station/operations/by-hand/confirm';
import { takeBackTold, toTakeBackTold } from '../../chain/gas-station/operations/by-hand/take-back';
import { worthOf } from '../../chain/gas-station/operations/by-hand/weigh';
import { confirmOperation } from '../../chain/gas-station/operations/confirm';
import type { GasOperation } from '../../chain/gas-station/operations/record';
import { otherWord } from '../../chain/networks/told-hashes';
import {
  recordDeposit,
  type ToldDeposit,
  takeBackDeposit,
  toldDeposit,
  toldDepositOf,
  toTakeBack,
  weighDeposit,
} from '../../transfers/chain-deposits/by-person';
import { heldByBooks } from '../../transfers/chain-deposits/held';
import { lastSaid } from '../../transfers/chain-deposits/told';
import type { ChangeEntry, Session } from '../session';
import { type By, type Done, kind } from './kind';

/**
 * What people tell of chains that no node is asked about. The same may be asked for twice, and be approved when something else was told
 * meanwhile: what is meant is in the terms, and nothing else is done.
 */

/** As it is stored. */
const toldText = ({ amount: told, blockAt, ...terms }: ToldDeposit) => ({
  ...terms,
  ...{ amount: told.toFixed(), blockAt: blockAt.toISOString() },
});

export const chainDeposit = kind({
  // One that was asked for before this was kept is recorded where nobody had told of it before.
  terms: toldDeposit.extend({ over: z.string().nullable().default(null) }),
  async weigh(session, tx, terms) {
    const { weighed, beside, over } = await weighDeposit(tx, terms, session.now());
    // Whoever approves it sees which other transfers of the transaction stand.
    const settled = { ...toldText(terms), over, ...(terms.also ? { beside } : {}) };
    return { ...weighed, ever: false, terms: settled };
  },
  async execute(session, tx, { over, ...terms }, by) {
    const { deposit, replaces } = await recordDeposit(session, tx, { ...terms, over }, by);
    const { id: subject, tenantId, accountId, status } = deposit.transfer;
    const after = { ...toldText(terms), accountId, status, replaces, reason: by.reason };
    return {
      entry: { action: 'chain-deposit.record', subject, tenantId, after },
      result: { id: subject, status },
    };
  },
});

export const chainDepositTakenBack = kind({
  terms: z.object({ id: z.string(), word: z.string().optional() }),
  async weigh(session, tx, { id }) {
    const deposit = await toTakeBack(tx, id, session.now());
    const { tenantId, terms: told } = deposit.transfer;
    const about = { subject: id, tenantId, ever: true, terms: { id, word: lastSaid(deposit)?.id } };
    return { ...about, amount: told.amount, currency: told.asset };
  },
  async execute(session, tx, { id: subject, word }, by) {
    const { before, after } = await takeBackDeposit(session, tx, { id: subject, word }, by);
    const { tenantId, status } = after.transfer;
    const entry = {
      ...{ action: 'chain-deposit.take-back', subject, tenantId },
      ...{ before: { status: before.transfer.status }, after: { status, reason: by.reason } },
    };
    return { entry, result: { id: subject, status } };
  },
});

const chainServices = ({ now, commands }: Session) => ({ now, commands, heldByBooks, toldDepositOf });

/** An operation that was executed, by the word of who tells of it. */
export const gasOperationConfirmed = kind({
  terms: z.object({ id: z.string(), txHash: z.string(), takenBack: z.int().default(0) }),
  async weigh(session, tx, terms) {
    const { operation } = await confirmable(chainServices(session), tx, terms);
    const { takenBack } = operation;
    return { ...worthOf(operation), tenantId: null, ever: false, terms: { ...terms, takenBack } };
  },
  async execute(session, tx, { takenBack, ...terms }, by) {
    const { operation: before, told } = await confirmable(chainServices(session), tx, terms);
    if (before.takenBack !== takenBack) throw otherWord();
    const { operation } = await confirmOperation(chainServices(session), tx, before, told);
    return doneTo('confirm', before, operation, by);
  },
});

export const gasOperationTakenBack = kind({
  // The hash is for whoever approves it.
  terms: z.object({ id: z.string(), txHash: z.string().optional(), takenBack: z.int().default(0) }),
  async weigh(_, tx, { id }) {
    const { operation } = await toTakeBackTold(tx, id);
    const { txHash, takenBack } = operation;
    const terms = { id, txHash: txHash ?? undefined, takenBack };
    return { ...worthOf(operation), subject: id, tenantId: null, ever: true, terms };
  },
  async execute(session, tx, { id, takenBack }, by) {
    const given = { id, takenBack, reason: by.reason };
    const { before, after } = await takeBackTold(chainServices(session), tx, given);
    return doneTo('take-back', before, after, by);
  },
});

function doneTo(what: string, before: GasOperation, after: GasOperation, { reason }: By): Done {
  const { id, status } = after;
  const shown = ({ status: its, txHash }: GasOperation) => ({ status: its, txHash });
  const entry: ChangeEntry = {
    ...{ action: `gas-operation.${what}`, subject: id, tenantId: null },
    ...{ before: shown(before), after: { ...shown(after), reason } },
  };
  return { entry, result: { id, status } };
}
