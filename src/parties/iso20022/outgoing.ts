import { randomBytes } from 'node:crypto';
import type { Tx } from '../../kernel/db/database';
import { type Decimal, sumOf, ZERO } from '../../kernel/money/money';
import { openBreak } from '../../process/breaks/operations';
import { PartyAway } from '../../process/party-errors';
import { FILE_BREAKS } from './breaks';
import type { BankFolder } from './folder';
import { groupOf, type SealedPayee } from './groups';
import { type CreditTransfer, type TransferGroup, writeCreditTransfers } from './messages/credit-transfers';
import type { MessageKind } from './messages/kinds';
import { hashOf } from './names';
import type { SentNames } from './sent-names';
import { type BankFilesServices, SEALED_UNDER } from './services';
import { type BankFile, filesToPlace, insertMade, lockStaged, notePlaced, noteStaged } from './store/files';
import { type BankOrder, changeOrder, lockToSend, noteFiled, waitingToSend } from './store/orders';

/** Most orders of a file. */
const MAX_ORDERS = 1_000;

/** Where files are placed. */
export interface Places {
  folder: BankFolder;
  sent: SentNames;
}

/** Called between two steps. For tests: an error stands for a kill. */
export type Step = 'filed' | 'written' | 'staged' | 'renamed' | 'placed' | 'booked' | 'moved';
export type OnStep = (step: Step) => void;

/**
 * Makes a file of the orders that wait: when the first has waited for long enough, or when the file is full. The orders
 * and their file are one transaction, so each order stands in one file.
 * @returns whether a file was made
 */
export async function makeBatch(services: BankFilesServices, sent: SentNames): Promise<boolean> {
  const { database, settings, now } = services;
  // Orders of a currency whose account is gone from the settings wait, so that they stop no others.
  const currencies = settings.accounts.map(({ currency }) => currency);
  const { count, since } = await waitingToSend(database, currencies, MAX_ORDERS);
  if (since === null) return false;
  const isDue =
    settings.batchSeconds === 0 || now().getTime() - since.getTime() >= settings.batchSeconds * 1_000;
  if (!isDue && count < MAX_ORDERS) return false;
  return database.transaction(async (tx) => {
    const orders = await withoutSent(tx, await lockToSend(tx, currencies, MAX_ORDERS), await sent.all());
    return orders.length > 0 && (await fileOrders(services, tx, orders));
  });
}

/** Leaves out orders that a placed file has. The bank's files use their names. */
async function withoutSent(
  tx: Tx,
  orders: readonly BankOrder[],
  sent: ReadonlySet<string>,
): Promise<BankOrder[]> {
  for (const order of orders.filter(({ endToEndId }) => sent.has(endToEndId))) {
    await changeOrder(tx, order, { stage: 'accepted' });
    const { key, endToEndId, amount, currency } = order;
    await openBreak(tx, {
      tenantId: null,
      kind: FILE_BREAKS.sentBefore,
      subject: key,
      detail: endToEndId,
      amount,
      currency,
    });
  }
  return orders.filter(({ endToEndId }) => !sent.has(endToEndId));
}

async function fileOrders(
  services: BankFilesServices,
  tx: Tx,
  orders: readonly BankOrder[],
): Promise<boolean> {
  const { settings, reader, now } = services;
  const at = now();
  const messageId = newMessageId(at);
  const groups = groupsOf(services, orders, messageId, at);
  const xml = writeCreditTransfers({ messageId, createdAt: at, initiator: settings.company, groups });
  const bytes = Buffer.from(xml);
  const checked = await reader.read(bytes);
  if ('fault' in checked) {
    // Each order was valid alone, so the fault is ours. The orders stay, and a person is told.
    services.log.error({ fault: checked.fault, detail: checked.detail }, 'a file for the bank is not valid');
    const detail = `${checked.fault} ${checked.detail}`.trim();
    await openBreak(tx, { tenantId: null, kind: FILE_BREAKS.unsendable, subject: 'pain.001', detail });
    return false;
  }
  const file = await insertOutgoing(services, tx, {
    kind: 'pain.001.001.09',
    messageId,
    bytes,
    transactions: orders.length,
    controlSum: sumOf(orders),
  });
  const keys = new Map(orders.map(({ endToEndId, key }) => [endToEndId, key]));
  for (const { id, transfers } of groups)
    for (const { endToEndId } of transfers) await noteFiled(tx, keys.get(endToEndId) ?? '', file.id, id);
  return true;
}

function groupsOf(
  { settings, keyring }: BankFilesServices,
  orders: readonly BankOrder[],
  messageId: string,
  at: Date,
): TransferGroup[] {
  const grouped = new Map<string, { service: BankOrder['service']; transfers: CreditTransfer[] }>();
  for (const { key, endToEndId, service, amount, currency, payee: sealed } of orders) {
    if (!sealed) throw new Error(`the payee of ${key} is missing`);
    const opened = keyring.sealer(SEALED_UNDER).open(sealed, key).toString();
    const { payee, text } = JSON.parse(opened) as SealedPayee;
    const name = `${service} ${currency}`;
    const group = grouped.get(name) ?? { service, transfers: [] };
    group.transfers.push({ endToEndId, amount, currency, payee, text });
    grouped.set(name, group);
  }
  return [...grouped.values()].map((group, index) =>
    groupOf(settings, { ...group, id: `${messageId}-${index + 1}`, at }),
  );
}

/** An id that no other message of ours has. */
export const newMessageId = (at: Date): string =>
  `CW${at.toISOString().replace(/\D/g, '').slice(0, 14)}${randomBytes(5).toString('hex').toUpperCase()}`;

/** Stores a message that is to be placed in the folder. */
export const insertOutgoing = (
  { keyring }: Pick<BankFilesServices, 'keyring'>,
  tx: Tx,
  message: {
    kind: MessageKind;
    messageId: string;
    bytes: Buffer;
    transactions?: number;
    controlSum?: Decimal;
  },
): Promise<BankFile> => {
  const { kind, messageId, bytes, transactions = 0, controlSum = ZERO } = message;
  return insertMade(tx, {
    kind,
    messageId,
    name: `${messageId}.${kind}.xml`,
    sha256: hashOf(bytes),
    content: keyring.sealer(SEALED_UNDER).seal(bytes, messageId),
    transactions,
    controlSum,
  });
};

/**
 * Places the files that are made. Only the renaming of the noted temporary file removes it. So after a kill a noted
 * file that still exists was not renamed, and one that is gone was: no file is placed twice. An empty folder, such as one
 * that is not mounted, is told by the names that were noted before.
 * @throws PartyAway while the folder is another one
 */
export async function placeFiles(
  services: BankFilesServices,
  { folder, sent }: Places,
  onStep: OnStep,
): Promise<void> {
  const { database } = services;
  for (const file of await filesToPlace(database)) {
    if (file.result === 'made' && !(await stageFile(services, { folder, sent }, file, onStep))) continue;
    await database.transaction(async (tx) => {
      const staged = await lockStaged(tx, file.id);
      if (!staged?.stagedAs) return;
      const isRenamed = await folder.place(staged.stagedAs, staged.name);
      if (!isRenamed && !(await sent.has(staged.messageId ?? '')))
        throw new PartyAway('the folder of the bank’s files has lost what was written');
      onStep('renamed');
      await notePlaced(tx, staged.id);
    });
    onStep('placed');
  }
}

/** The names of the orders in a file that we have written. */
const namesIn = (xml: Buffer): string[] =>
  [...xml.toString().matchAll(/<EndToEndId>([A-Z0-9]+)</g)].map(([, name = '']) => name);

/** @returns false when another process has written the file */
async function stageFile(
  { database, keyring }: BankFilesServices,
  { folder, sent }: Places,
  { id, name, messageId, content }: BankFile,
  onStep: OnStep,
): Promise<boolean> {
  if (!content) throw new Error(`the content of ${name} is missing`);
  const bytes = keyring.sealer(SEALED_UNDER).open(content, messageId ?? '');
  await sent.note(messageId ?? '', namesIn(bytes));
  const stagedAs = await folder.stage(name, bytes);
  onStep('written');
  const isOurs = await noteStaged(database, id, stagedAs);
  if (!isOurs) await folder.unstage(stagedAs);
  onStep('staged');
  return isOurs;
}
