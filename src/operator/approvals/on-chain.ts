import { z } from 'zod';
import { amount } from '../../kernel/wire/schemas';
import { assertNotShown, provenCoin } from '../../transfers/chain-deposits/balance-proof';
import {
  creditDeposit,
  recordDeposit,
  takeBackDeposit,
  toTakeBack,
  weighCredit,
  weighDeposit,
} from '../../transfers/chain-deposits/by-person';
import { CHAIN_CREDIT } from '../../transfers/chain-deposits/held-credit';
import { lastSaid } from '../../transfers/chain-deposits/word-of-people';
import { kind } from './kind';

/**
 * A native coin that a contract has passed on to a wallet, which no transaction of the block shows. The balances before
 * and after the block prove it when one operator asks, and again when another approves.
 */
export const chainDeposit = kind({
  always: true,
  terms: z.object({
    chain: z.string(),
    address: z.string(),
    txHash: z.string(),
    amount: amount(),
    over: z.string().nullable().default(null),
  }),
  prove: (session, terms) => provenCoin(session, terms),
  async weigh(session, tx, terms, coin) {
    const { over, ...about } = await weighDeposit(tx, { ...terms, coin }, session.now());
    return { ...about, ever: false, terms: { ...terms, over, amount: terms.amount.toFixed() } };
  },
  async execute(session, tx, terms, by, coin) {
    const { transfer } = await recordDeposit(session, tx, { ...terms, coin }, by);
    const { id: subject, tenantId, accountId, status } = transfer;
    const { blockNumber, blockHash } = transfer.terms;
    const after = { ...terms, amount: terms.amount.toFixed(), blockNumber, blockHash, accountId, status };
    return {
      entry: { action: 'chain-deposit.record', subject, tenantId, after: { ...after, reason: by.reason } },
      result: { id: subject, status },
    };
  },
});

export const chainDepositTakenBack = kind({
  always: true,
  terms: z.object({ id: z.string(), word: z.string().optional() }),
  async prove(session, { id }) {
    const deposit = await toTakeBack(session.database, id, session.now());
    await assertNotShown(session, deposit.transfer.terms);
  },
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
      action: 'chain-deposit.take-back',
      subject,
      tenantId,
      before: { status: before.transfer.status },
      after: { status, reason: by.reason },
    };
    return { entry, result: { id: subject, status } };
  },
});

/** A credit from a chain above the limit, which waits for two operators. An operator may ask for it again. */
export const chainCredit = kind({
  always: true,
  terms: z.object({ id: z.string(), units: z.string().optional() }),
  async weigh(session, tx, { id }) {
    const { units, ...about } = await weighCredit(tx, id, session.now());
    return { ...about, subject: id, ever: true, terms: { id, units } };
  },
  async execute(session, tx, { id: subject, units = '' }, by) {
    const { before, after } = await creditDeposit(session, tx, { id: subject, units }, by);
    const { tenantId, status } = after.transfer;
    const entry = {
      action: CHAIN_CREDIT,
      subject,
      tenantId,
      before: { status: before.transfer.status },
      after: { status, reason: by.reason },
    };
    return { entry, result: { id: subject, status } };
  },
});
