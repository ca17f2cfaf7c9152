import type { Tx } from '../../../kernel/db/database';
import { openBreak } from '../../../process/breaks/operations';
import { nameForLog } from '../../protocol/names';
import type { Money } from '../messages/amounts';
import type { BankFilesServices } from '../services';
import type { BankFile } from '../store/files';

/** A message that is applied in one transaction, whole or not at all. */
export interface Applying {
  services: BankFilesServices;
  tx: Tx;
  file: BankFile;
}

/** Shows a person a part of a message that cannot be applied. The rest of the message is applied. */
export async function show(
  { tx, file }: Applying,
  kind: string,
  given: { subject: string; detail?: string; money?: Money | undefined },
): Promise<void> {
  const { subject, detail = '', money } = given;
  await openBreak(tx, {
    tenantId: null,
    kind,
    subject: nameForLog(subject),
    detail: `${file.kind} ${nameForLog(file.messageId ?? '')} ${detail}`.trimEnd(),
    ...(money ? { amount: money.amount, currency: money.currency } : {}),
  });
}

/** A code of the bank for a line that people read. */
export const codeText = (code: string | undefined): string =>
  code === undefined ? '' : /^[A-Za-z0-9]{1,35}$/.test(code) ? code : 'other';
