import { closeBreaksUnder, openBreakAgain } from '../../process/breaks/operations';
import { FILE_BREAKS } from './breaks';
import { shownName } from './names';
import type { BankFilesServices } from './services';

/** Turns a denied reading of one file into an outcome. @throws any other error */
export function unlessDenied(error: unknown): 'unreadable' {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (['EACCES', 'EPERM'].includes(code) && ['open', 'read'].includes(syscall)) return 'unreadable';
  throw error;
}

/** Beginning of the breaks' subjects. */
const UNDER = 'bank-file:';
/** How long a break that a person has resolved rests, while its file still cannot be read. */
const RESTS_MS = 24 * 3_600_000;

/** Shows the incoming files that we may not read, each until it can be read or is gone. */
export async function showUnreadable(
  { database, now }: Pick<BankFilesServices, 'database' | 'now'>,
  names: readonly string[],
): Promise<void> {
  const at = now();
  const kind = FILE_BREAKS.unreadable;
  const subjects = names.map((name) => UNDER + shownName(name));
  for (const subject of subjects) {
    const shown = { tenantId: null, kind, subject, detail: 'no permission to read' };
    await openBreakAgain(database, shown, new Date(at.getTime() - RESTS_MS));
  }
  await closeBreaksUnder(database, { under: UNDER, except: subjects, kind, at });
}
