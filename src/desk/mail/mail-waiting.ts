import type { Logger } from 'pino';
import type { Database } from '../../kernel/db/database';
import type { Permission } from '../../kernel/permissions';
import type { Keyring } from '../../kernel/security/keyring';
import type { Mailer } from '../../parties/mail/port';
import { PartyRefused } from '../../process/party-errors';
import { type Catalogue, waitingCounts } from '../catalogue';
import {
  addressesToMail,
  isAdmitted,
  listOperators,
  type Operator,
  saveMailed,
} from '../operators/operations';
import { type MailedList, waitingMail } from './text';

export interface WaitingMailDeps {
  database: Database;
  keyring: Keyring;
  parties: { mail: Mailer };
  log: Logger;
  now(): Date;
}

const HOUR_MS = 3_600_000;

/**
 * Mails each operator who wants it what waits for him, once an hour. Idempotent: a repeat in the same hour sends the same
 * mail under the same `Message-ID`, and only to operators who have none yet.
 * @returns the number of mails
 * @throws the last error of a mail that was not sent, after the mails to all others
 */
export async function mailWaiting(deps: WaitingMailDeps, catalogue: Catalogue): Promise<number> {
  const { database, keyring, parties, now } = deps;
  if (!parties.mail.configured) return 0;
  const at = now();
  const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
  const due = await addressesToMail(database, keyring, hour);
  if (due.length === 0) return 0;
  const operators = new Map((await listOperators(database)).map((each) => [each.id, each]));
  const lists = await listsThatWait(deps, catalogue, at);
  let sent = 0;
  let failure: unknown;
  for (const { operatorId, address } of due) {
    const operator = operators.get(operatorId);
    if (!operator || operator.disabledAt !== null || !isAdmitted(operator)) continue;
    try {
      if (await mailOne(deps, { operator, address, hour, lists })) sent += 1;
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== undefined) throw failure as Error;
  return sent;
}

interface PermittedList extends MailedList {
  /** Operators who may look at the list, and make one of its decisions. */
  isFor(permissions: readonly Permission[]): boolean;
}

async function listsThatWait(
  { database }: WaitingMailDeps,
  { lists, decisions }: Catalogue,
  at: Date,
): Promise<PermittedList[]> {
  const counts = (await waitingCounts(lists, database, at)).filter(({ count }) => count > 0);
  return counts.map((counted) => {
    const {
      title = '',
      permission = 'view',
      decisions: names = [],
    } = lists.find(({ name }) => name === counted.list) ?? {};
    const needed = names.flatMap((name) => decisions.get(name)?.permission ?? []);
    return {
      ...counted,
      title,
      isFor: (permissions) =>
        permissions.includes(permission) &&
        (needed.length === 0 || needed.some((each) => permissions.includes(each))),
    };
  });
}

interface ToMail {
  operator: Operator;
  address: string;
  hour: Date;
  lists: readonly PermittedList[];
}

/** @returns whether a mail was sent: none is where nothing waits, or the server refuses the address */
async function mailOne(
  { database, parties, log }: WaitingMailDeps,
  { operator, address: to, hour, lists }: ToMail,
): Promise<boolean> {
  const { id, permissions } = operator;
  const own = lists.filter(({ isFor }) => isFor(permissions));
  if (own.length === 0) return false;
  try {
    await parties.mail.send({
      id: `desk-${id}-${hour.getTime()}`,
      tenantId: null,
      senderName: 'Cardwright',
      to,
      ...waitingMail(own),
    });
  } catch (error) {
    if (!(error instanceof PartyRefused)) throw error;
    log.warn({ operatorId: id, reason: error.message }, 'the mail server refuses the mail to an operator');
    await saveMailed(database, id, hour);
    return false;
  }
  await saveMailed(database, id, hour);
  return true;
}
