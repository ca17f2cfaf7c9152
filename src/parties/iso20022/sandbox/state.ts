import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const entry = z.object({
  reference: z.string(),
  side: z.enum(['credit', 'debit']),
  amount: z.string(),
  currency: z.string(),
  bookedAt: z.string(),
  endToEndId: z.string().optional(),
  returned: z.string().optional(),
  payer: z.object({ name: z.string(), iban: z.string().optional() }).optional(),
  payeeIban: z.string().optional(),
});

const account = z.object({
  iban: z.string(),
  currency: z.string(),
  /** The balance at which the last statement has closed. */
  closed: z.string(),
  statements: z.number().int(),
  /** Entries since the last statement. */
  entries: z.array(entry),
});

const transfer = z.object({
  endToEndId: z.string(),
  messageId: z.string(),
  groupId: z.string(),
  amount: z.string(),
  currency: z.string(),
  payeeIban: z.string().optional(),
  repeats: z.boolean(),
});

const due = z.object({
  at: z.string(),
  what: z.enum(['status', 'debit', 'return', 'take_back']),
  /** Name of a transfer of ours, or reference of a received payment. */
  of: z.string(),
  amount: z.string().optional(),
  status: z.string().optional(),
  reason: z.string().optional(),
});

const state = z.object({
  count: z.number().int(),
  seen: z.array(z.string()),
  accounts: z.array(account),
  transfers: z.array(transfer),
  /** Received payments. */
  received: z.array(entry),
  due: z.array(due),
});

/** The memory of the sandbox's bank between two turns and between two starts. */
export type BankState = z.output<typeof state>;
export type StateAccount = BankState['accounts'][number];
export type StateTransfer = BankState['transfers'][number];
export type Due = BankState['due'][number];

export async function loadState(
  path: string,
  accounts: readonly { iban: string; currency: string; opening?: string }[],
): Promise<BankState> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text !== undefined) return state.parse(JSON.parse(text));
  return {
    count: 0,
    seen: [],
    transfers: [],
    received: [],
    due: [],
    accounts: accounts.map(({ iban, currency, opening = '0' }) => ({
      iban,
      currency,
      closed: opening,
      statements: 0,
      entries: [],
    })),
  };
}

export async function saveState(path: string, known: BankState): Promise<void> {
  await writeFile(`${path}.tmp`, JSON.stringify(known));
  await rename(`${path}.tmp`, path);
}

/** Takes the first thing that is due out of the plan. */
export function nextDue(known: BankState, at: Date): Due | undefined {
  const due = known.due
    .filter((each) => new Date(each.at) <= at)
    .sort((one, other) => one.at.localeCompare(other.at))[0];
  if (due) known.due.splice(known.due.indexOf(due), 1);
  return due;
}
