import { z } from 'zod';
import { confirmable } from '../../chain/gas-station/operations/by-hand/confirm';
import { takeBackTold, toTakeBackTold } from '../../chain/gas-station/operations/by-hand/take-back';
import { worthOf } from '../../chain/gas-station/operations/by-hand/weigh';
import { confirmOperation } from '../../chain/gas-station/operations/confirm';
import type { GasOperation } from '../../chain/gas-station/operations/record';
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
import type { ChangeEntry, Session } from '../session';
import { type By, type Done, kind } from './kind';

/** What people tell of chains that no node is asked about. */

/** As it is stored. */
const toldText = ({ amount: told, blockAt, ...terms }: ToldDeposit) => ({
  ...terms,
  ...{ amount: told.toFixed(), blockAt: blockAt.toISOString() },
});

export const chainDeposit = kind({
  terms: toldDeposit,
  async weigh(session, tx, terms) {
    const { weighed, beside } = await weighDeposit(tx, terms, session.now());
    // Whoever approves it sees which other transfers of the transaction stand.
    return { ...weighed, ever: false, terms: { ...toldText(terms), ...(terms.also ? { beside } : {}) } };
  },
  async execute(session, tx, terms, by) {
    const { deposit, replaces } = await recordDeposit(session, tx, terms, by);
    const { id: subject, tenantId, accountId, status } = deposit.transfer;
    const after = { ...toldText(terms), accountId, status, replaces, reason: by.reason };
    return {
      entry: { action: 'chain-deposit.record', subject, tenantId, after },
      result: { id: subject, status },
    };
  },
});

export const chainDepositTakenBack = kind({
  terms: z.object({ id: z.string() }),
  async weigh(session, tx, terms) {
    const { transfer } = await toTakeBack(tx, terms.id, session.now());
    const { amount: worth, asset } = transfer.terms;
    const about = { subject: terms.id, tenantId: transfer.tenantId, ever: true, terms };
    return { ...about, amount: worth, currency: asset };
  },
  async execute(session, tx, { id: subject }, by) {
    const { before, after } = await takeBackDeposit(session, tx, subject, by);
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
  terms: z.object({ id: z.string(), txHash: z.string() }),
  async weigh(session, tx, terms) {
    const { operation } = await confirmable(chainServices(session), tx, terms);
    return { ...worthOf(operation), tenantId: null, ever: false, terms };
  },
  async execute(session, tx, terms, by) {
    const { operation: before, told } = await confirmable(chainServices(session), tx, terms);
    const { operation } = await confirmOperation(chainServices(session), tx, before, told);
    return doneTo('confirm', before, operation, by);
  },
});

export const gasOperationTakenBack = kind({
  terms: z.object({ id: z.string() }),
  async weigh(_, tx, terms) {
    const { operation } = await toTakeBackTold(tx, terms.id);
    return { ...worthOf(operation), subject: operation.id, tenantId: null, ever: true, terms };
  },
  async execute(session, tx, { id }, by) {
    const { before, after } = await takeBackTold(chainServices(session), tx, { id, reason: by.reason });
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
