import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Decimal, formatAmount, roundTo } from '../../../kernel/money/money';
import { scenarioOf } from '../../bank/sandbox/scenarios';
import { secondsAfter } from '../../sandbox/time';
import { readCreditTransfers } from '../messages/credit-transfers';
import type { MessageKind } from '../messages/kinds';
import { writePaymentReturns } from '../messages/payment-return';
import {
  type RecalledPayment,
  readRecallRequest,
  writeRecallAnswer,
  writeRecallRequest,
} from '../messages/recalls';
import { type GroupStatus, writeStatusReport } from '../messages/status-report';
import type { XmlReader } from '../xml/reader';
import { planOf } from './plan';
import { type SandboxEntry, writeReport } from './reports';
import { type Due, loadState, nextDue, type StateAccount, type StateTransfer, saveState } from './state';

/** A payment from outside to an IBAN behind one of the accounts. */
export interface SandboxPayment {
  iban: string;
  amount: string;
  currency?: string;
  payer?: { name: string; iban?: string };
  endToEndId?: string;
}

/** A simulated bank that reads and writes the files of the folder. The amount of a payment selects its faults. */
export interface SandboxFileBank {
  /** Answers our files, and writes what is due. Validates our files by the published schemas. */
  turn(): Promise<void>;
  /** Receives a payment. @returns the bank's reference */
  receive(payment: SandboxPayment): Promise<string>;
  /** Closes the account's statement. @returns its number */
  closeStatement(currency: string): Promise<number>;
}

export interface FileBankOptions {
  folder: string;
  accounts: readonly { iban: string; currency: string; opening?: string }[];
  reader: XmlReader;
  now(): Date;
}

const BANK = { from: undefined, to: undefined };
/** Payments that the payee's bank does not give back: amounts that end so. */
const KEPT = /\.99$/;

export async function createSandboxFileBank(options: FileBankOptions): Promise<SandboxFileBank> {
  const { folder, reader, now } = options;
  for (const name of ['outgoing', 'incoming', 'bank']) await mkdir(join(folder, name), { recursive: true });
  const statePath = join(folder, 'bank', 'state.json');
  const known = await loadState(statePath, options.accounts);

  const nextId = (prefix: string): string => {
    known.count += 1;
    return `${prefix}${now().toISOString().replace(/\D/g, '').slice(0, 14)}${String(known.count).padStart(6, '0')}`;
  };

  async function send(kind: MessageKind, messageId: string, xml: string, twice = false): Promise<void> {
    for (const copy of twice ? ['', '.again'] : ['']) {
      const name = `${messageId}.${kind}${copy}.xml`;
      const temporary = join(folder, 'incoming', `.${name}.part`);
      await writeFile(temporary, xml);
      await rename(temporary, join(folder, 'incoming', name));
    }
  }

  const accountOf = (code: string): StateAccount => {
    const found = known.accounts.find(({ currency }) => currency === code);
    if (!found) throw new Error(`the sandbox's bank has no account in ${code}`);
    return found;
  };

  /** Books an entry and notifies of it. */
  async function book(
    entry: Omit<SandboxEntry, 'reference' | 'bookedAt'>,
    twice = false,
  ): Promise<SandboxEntry> {
    const account = accountOf(entry.currency);
    const booked = { ...entry, reference: nextId('BK'), bookedAt: now().toISOString() };
    account.entries.push(booked);
    const messageId = nextId('NT');
    const xml = writeReport({ kind: 'camt.054.001.08', messageId, at: now(), account, entries: [booked] });
    await send('camt.054.001.08', messageId, xml, twice);
    return booked;
  }

  async function answerOrders(name: string): Promise<void> {
    const bytes = await readFile(join(folder, 'outgoing', name));
    const read = await reader.read(bytes);
    if ('fault' in read) throw new Error(`the bank refuses ${name}: ${read.fault} ${read.detail}`);
    if (read.kind === 'camt.056.001.08') await answerRecalls(readRecallRequest(read.tree).recalls);
    if (read.kind === 'pain.001.001.09') await takeOrders(read.tree);
    await rename(join(folder, 'outgoing', name), join(folder, 'bank', name));
  }

  async function takeOrders(tree: Parameters<typeof readCreditTransfers>[0]): Promise<void> {
    const { messageId, groups } = readCreditTransfers(tree);
    // A bank takes a file once by its message id.
    if (known.seen.includes(messageId)) return;
    known.seen.push(messageId);
    const statuses: GroupStatus[] = [];
    let repeats = false;
    for (const group of groups) {
      const plans = group.transfers.map((transfer) => ({ transfer, plan: planOf(transfer) }));
      for (const { transfer, plan } of plans) {
        repeats ||= plan.repeats;
        const { endToEndId, amount, currency, payeeIban } = transfer;
        known.transfers.push({
          endToEndId,
          messageId,
          groupId: group.id,
          amount: amount.toFixed(),
          currency,
          payeeIban,
          repeats: plan.repeats,
        });
        for (const { afterSeconds, ...step } of plan.steps)
          known.due.push({ ...step, of: endToEndId, at: secondsAfter(now(), afterSeconds).toISOString() });
      }
      const refused = plans.filter(({ plan }) => plan.refusedFor !== undefined);
      statuses.push({
        id: group.id,
        status: refused.length === 0 ? 'ACCP' : refused.length === plans.length ? 'RJCT' : 'PART',
        transfers: plans.map(({ transfer, plan: { refusedFor } }) => ({
          endToEndId: transfer.endToEndId,
          status: refusedFor === undefined ? 'ACCP' : 'RJCT',
          reason: refusedFor,
          money: { amount: transfer.amount, currency: transfer.currency },
        })),
      });
    }
    const report = nextId('ST');
    const status = statuses.every((group) => group.status === 'ACCP') ? 'ACCP' : 'PART';
    const xml = writeStatusReport({
      messageId: report,
      createdAt: now(),
      original: messageId,
      status,
      groups: statuses,
    });
    await send('pain.002.001.10', report, xml, repeats);
  }

  /** Answers recalls of our payments: the payee's bank gives them back, or keeps them. */
  async function answerRecalls(recalls: readonly RecalledPayment[]): Promise<void> {
    for (const { endToEndId = '', transactionId, uetr } of recalls) {
      const transfer = known.transfers.find((each) => each.endToEndId === endToEndId);
      const isKept = !transfer || KEPT.test(formatAmount(new Decimal(transfer.amount), transfer.currency));
      const messageId = nextId('RA');
      const answer = {
        endToEndId,
        transactionId,
        uetr,
        verdict: isKept ? ('refused' as const) : ('accepted' as const),
        reason: isKept ? 'CUST' : undefined,
      };
      const xml = writeRecallAnswer({ messageId, createdAt: now(), answers: [answer] }, BANK);
      await send('camt.029.001.09', messageId, xml);
      if (transfer && !isKept)
        known.due.push({
          what: 'return',
          of: endToEndId,
          amount: transfer.amount,
          reason: 'FOCR',
          at: now().toISOString(),
        });
    }
  }

  async function happen(due: Due): Promise<void> {
    if (due.what === 'take_back') return takeBack(due);
    const transfer = known.transfers.find(({ endToEndId }) => endToEndId === due.of);
    if (!transfer) return;
    const { endToEndId, currency, payeeIban, repeats } = transfer;
    if (due.what === 'status') return tellStatus(transfer, due);
    if (due.what === 'debit') {
      await book({ side: 'debit', amount: transfer.amount, currency, endToEndId, payeeIban }, repeats);
      return;
    }
    const { amount = transfer.amount, reason = 'AC04' } = due;
    // The two messages report the same return.
    const messageId = nextId('RT');
    const returned = {
      id: nextId('RI'),
      endToEndId,
      amount: new Decimal(amount),
      currency,
      original: { amount: new Decimal(transfer.amount), currency },
      reason,
    };
    await send(
      'pacs.004.001.09',
      messageId,
      writePaymentReturns({ messageId, createdAt: now(), returns: [returned] }),
      repeats,
    );
    await book({ side: 'credit', amount, currency, endToEndId, returned: reason }, repeats);
  }

  async function tellStatus(transfer: StateTransfer, { status, reason }: Due): Promise<void> {
    const messageId = nextId('ST');
    const { endToEndId, groupId, messageId: original, repeats } = transfer;
    const groups = [{ id: groupId, transfers: [{ endToEndId, status, reason }] }];
    const xml = writeStatusReport({ messageId, createdAt: now(), original, groups });
    await send('pain.002.001.10', messageId, xml, repeats);
  }

  /** The payer's bank asks a payment back, and our bank debits it. */
  async function takeBack({ of, amount = '0' }: Due): Promise<void> {
    const payment = known.received.find(({ reference }) => reference === of);
    if (!payment) return;
    const messageId = nextId('RC');
    const { endToEndId, currency } = payment;
    const recalled: RecalledPayment = {
      id: messageId,
      endToEndId,
      transactionId: undefined,
      uetr: undefined,
      money: { amount: new Decimal(amount), currency },
      reason: 'DUPL',
    };
    const xml = writeRecallRequest({ messageId, createdAt: now(), recalls: [recalled] }, BANK);
    await send('camt.056.001.08', messageId, xml);
    await book({ side: 'debit', amount, currency, endToEndId, returned: 'FOCR' });
  }

  /** Does each piece of work after the one before, because the bank has one memory. */
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done;
    return done;
  };

  const bank: SandboxFileBank = {
    async turn() {
      const names = (await readdir(join(folder, 'outgoing'))).filter((name) => /^[^.].*\.xml$/.test(name));
      for (const name of names.sort()) await answerOrders(name);
      for (let due = nextDue(known, now()); due; due = nextDue(known, now())) await happen(due);
      await saveState(statePath, known);
    },
    async receive({ iban, amount, currency = 'EUR', payer = { name: 'Sandbox Payer' }, endToEndId }) {
      const name = endToEndId ?? nextId('E2E');
      const entry = { side: 'credit' as const, amount, currency, endToEndId: name, payer, payeeIban: iban };
      const booked = await book(entry);
      known.received.push(booked);
      const value = new Decimal(amount);
      const { recallSeconds, recalledShare = '1' } = scenarioOf(value);
      if (recallSeconds !== undefined)
        known.due.push({
          what: 'take_back',
          of: booked.reference,
          amount: roundTo(value.times(recalledShare), currency, Decimal.ROUND_DOWN).toFixed(),
          at: secondsAfter(now(), recallSeconds).toISOString(),
        });
      await saveState(statePath, known);
      return booked.reference;
    },
    async closeStatement(currency) {
      const account = accountOf(currency);
      const { entries, closed: opening } = account;
      const closing = entries
        .reduce(
          (sum, { side, amount }) => (side === 'credit' ? sum.plus(amount) : sum.minus(amount)),
          new Decimal(opening),
        )
        .toFixed();
      account.statements += 1;
      const messageId = nextId('SM');
      const xml = writeReport({
        kind: 'camt.053.001.08',
        messageId,
        at: now(),
        account,
        entries,
        number: account.statements,
        balances: { opening, closing },
      });
      [account.closed, account.entries] = [closing, []];
      await send('camt.053.001.08', messageId, xml);
      await saveState(statePath, known);
      return account.statements;
    },
  };
  return {
    turn: () => inOrder(() => bank.turn()),
    receive: (payment) => inOrder(() => bank.receive(payment)),
    closeStatement: (currency) => inOrder(() => bank.closeStatement(currency)),
  };
}
