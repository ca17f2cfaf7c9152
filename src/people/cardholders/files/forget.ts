import type { Database } from '../../../kernel/db/database';
import { inPortions } from '../../../kernel/db/portions';
import type { Services } from '../../../services';
import { dropContentLater } from '../../kyc/documents/content';
import { deleteOldFiles } from './store';

/** Deleted content is scheduled row by row. */
const PORTION = 100;

/**
 * Deletes files 30 days after their upload, used or not. A photo has a copy of its own. Idempotent.
 * @returns the number of deleted files
 */
export const forgetOldFiles = ({ database, now }: Pick<Services, 'now'> & { database: Database }) =>
  inPortions(
    database,
    async (tx, limit) => {
      const gone = await deleteOldFiles(tx, limit);
      for (const { id, tenantId } of gone) await dropContentLater(tx, { tenantId, documentId: id }, now());
      return gone.length;
    },
    { limit: PORTION },
  );
