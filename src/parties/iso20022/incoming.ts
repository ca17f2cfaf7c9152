import { createPublicKey, verify } from 'node:crypto';
import { isAway } from '../../kernel/db/faults';
import { openBreak } from '../../process/breaks/operations';
import { nameForLog } from '../protocol/names';
import type { Applying } from './apply/context';
import { applyRecallAnswer, applyRecallRequest } from './apply/recalls';
import { applyNotifications, applyStatements } from './apply/reports';
import { applyPaymentReturns } from './apply/returns';
import { applyStatusReport } from './apply/status';
import { FILE_BREAKS } from './breaks';
import { type BankFolder, type IncomingFile, SIGNATURE } from './folder';
import { readNotifications, readStatements } from './messages/account-report';
import { FileFault } from './messages/fault';
import { MESSAGES, type MessageKind } from './messages/kinds';
import { readPaymentReturns } from './messages/payment-return';
import { readRecallAnswer, readRecallRequest } from './messages/recalls';
import { readStatusReport } from './messages/status-report';
import { hashOf, shownName } from './names';
import type { OnStep } from './outgoing';
import type { BankFilesServices } from './services';
import { findReceived, insertBooked, insertRefused, noteRepeat } from './store/files';
import { unlessDenied } from './unreadable';
import { MAX_FILE_BYTES } from './xml/reader';
import type { XmlNode } from './xml/tree';

/** Most files of a turn, so that outgoing files do not wait for long. */
const MAX_FILES = 100;

/**
 * `booked`: the file was new. `repeated`: it was taken before. `waits`: it may be unfinished. `gone`: another process has it.
 * `unreadable`: we may not read it.
 */
export type Taken = 'booked' | 'repeated' | 'refused' | 'waits' | 'gone' | 'unreadable';

/** The outcomes of a turn, one a file, and the names of files that we may not read. */
export interface TakenFiles {
  outcomes: Taken[];
  unreadable: string[];
}

/** Takes the files that the bank has placed. A file that we may not read stays, and stops no other. */
export async function takeFiles(
  services: BankFilesServices,
  folder: BankFolder,
  onStep: OnStep,
): Promise<TakenFiles> {
  const outcomes: Taken[] = [];
  const unreadable: string[] = [];
  for (const file of await folder.incoming()) {
    // A file that we may not read takes the place of no other.
    if (outcomes.length - unreadable.length >= MAX_FILES) break;
    const outcome = await takeFile(services, folder, file, onStep).catch(unlessDenied);
    outcomes.push(outcome);
    if (outcome === 'unreadable') unreadable.push(file.name);
  }
  return { outcomes, unreadable };
}

async function takeFile(
  services: BankFilesServices,
  folder: BankFolder,
  file: IncomingFile,
  onStep: OnStep,
): Promise<Taken> {
  const isSettled = ageOf(services, file) >= services.settings.settleSeconds * 1_000;
  if (file.size > MAX_FILE_BYTES) {
    if (!isSettled) return 'waits';
    const sha256 = await folder.hash(file.name);
    if (sha256 === undefined) return 'gone';
    return refuse(services, folder, { name: file.name, sha256, kind: '' }, new FileFault('too_large'));
  }
  const bytes = await folder.read(file.name);
  if (!bytes) return 'gone';
  const seen = { name: file.name, sha256: hashOf(bytes), kind: '' };
  let outcome: Taken;
  try {
    await assertSigned(services, folder, file.name, bytes);
    const read = await services.reader.read(bytes);
    if ('fault' in read) throw new FileFault(read.fault, read.detail);
    seen.kind = read.kind;
    if (MESSAGES[read.kind].from === 'us') throw new FileFault('wrong_direction', read.kind);
    outcome = await book(services, { ...seen, kind: read.kind }, read.tree);
  } catch (error) {
    const fault = faultOf(services, error);
    // A file that is still being written ends in the middle, and its signature may come after it.
    if (!isSettled && MAY_BE_UNFINISHED.includes(fault.code)) return 'waits';
    return refuse(services, folder, seen, fault);
  }
  onStep('booked');
  await folder.move(file.name, 'taken', seen.sha256);
  onStep('moved');
  return outcome;
}

/** A file that meets a fault of ours is refused alone, so that it stops no other. @throws the error of Postgres or of the folder */
function faultOf({ log }: BankFilesServices, error: unknown): FileFault {
  if (error instanceof FileFault) return error;
  if (isAway(error) || typeof (error as NodeJS.ErrnoException).syscall === 'string') throw error;
  log.error({ err: error }, 'a file of the bank cannot be applied');
  return new FileFault('unreadable', 'not applied');
}

const MAY_BE_UNFINISHED: readonly string[] = ['not_xml', 'not_utf8', 'unsigned', 'signature'];

/** By the machine. A time in the future counts as old, so that a wrong clock stops no file. */
function ageOf({ machineNow }: BankFilesServices, { modifiedAt }: IncomingFile): number {
  const age = machineNow().getTime() - modifiedAt.getTime();
  return age < -60_000 ? Number.POSITIVE_INFINITY : age;
}

interface SeenFile {
  name: string;
  sha256: string;
  kind: string;
}

/** Stores the message and all that follows from it in one transaction. @throws FileFault */
async function book(
  services: BankFilesServices,
  { name, sha256, kind }: SeenFile & { kind: MessageKind },
  tree: XmlNode,
): Promise<Taken> {
  const { database } = services;
  const message = messageIn(kind, tree);
  const { messageId } = message;
  return database.transaction(async (tx) => {
    const file = await insertBooked(tx, { kind, messageId, name, sha256 });
    if (file) {
      await message.apply({ services, tx, file });
      return 'booked';
    }
    const known = await findReceived(tx, kind, messageId);
    if (known?.sha256 !== sha256) throw new FileFault('message_id_reused', nameForLog(messageId));
    await noteRepeat(tx, known.id);
    return 'repeated';
  });
}

/** A message with its id and its effects. */
interface Message {
  messageId: string;
  apply(applying: Applying): Promise<void>;
}

function messageOf<Read extends { messageId: string }>(
  read: Read,
  apply: (applying: Applying, read: Read) => Promise<void>,
): Message {
  return { messageId: read.messageId, apply: (applying) => apply(applying, read) };
}

function messageIn(kind: MessageKind, tree: XmlNode): Message {
  switch (kind) {
    case 'pain.002.001.10':
      return messageOf(readStatusReport(tree), applyStatusReport);
    case 'camt.053.001.08':
      return messageOf(readStatements(tree), applyStatements);
    case 'camt.054.001.08':
      return messageOf(readNotifications(tree), applyNotifications);
    case 'camt.056.001.08':
      return messageOf(readRecallRequest(tree), applyRecallRequest);
    case 'camt.029.001.09':
      return messageOf(readRecallAnswer(tree), applyRecallAnswer);
    case 'pacs.004.001.09':
      return messageOf(readPaymentReturns(tree), applyPaymentReturns);
    case 'pain.001.001.09':
      throw new FileFault('wrong_direction', kind);
  }
}

/** Shows a person a file of which nothing was booked, and moves it. Idempotent. */
async function refuse(
  { database, log }: BankFilesServices,
  folder: BankFolder,
  { name, sha256, kind }: SeenFile,
  fault: FileFault,
): Promise<Taken> {
  const reason = fault.message;
  log.warn({ file: nameForLog(name), reason }, 'a file of the bank is refused');
  await database.transaction(async (tx) => {
    await insertRefused(tx, { kind, name: name.slice(0, 255), sha256, reason });
    await openBreak(tx, {
      tenantId: null,
      kind: FILE_BREAKS.refused,
      subject: shownName(name),
      detail: `${reason} (sha256 ${sha256.slice(0, 12)})`,
    });
  });
  await folder.move(name, 'refused', sha256);
  return 'refused';
}

/** Prefix of an Ed25519 public key in DER (RFC 8410). */
const ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

/** Checks the detached signature, where the settings name its key: `<file>.sig`, in base64. @throws FileFault */
async function assertSigned(
  { settings: { signer } }: BankFilesServices,
  folder: BankFolder,
  name: string,
  bytes: Buffer,
): Promise<void> {
  if (!signer) return;
  const given = await folder.read(name + SIGNATURE);
  if (!given) throw new FileFault('unsigned');
  const key = createPublicKey({ key: Buffer.concat([ED25519, signer]), format: 'der', type: 'spki' });
  const signature = Buffer.from(given.subarray(0, 1_024).toString('latin1').trim(), 'base64');
  if (signature.length !== 64 || !verify(null, bytes, key, signature)) throw new FileFault('signature');
}
