import type { Sql } from '../../kernel/db/database';
import { findFile, requireCardholder } from '../../people/cardholders/operations';
import { decisionsOn as decisionsOnCardholder } from '../../people/cardholders/review/decision';
import { cardholderView } from '../../people/cardholders/view';
import { startSubmission } from '../../people/cardholders/workflows';
import { changedSinceApproval as changedNames } from '../../people/kyc/approvals';
import { requireDocumentById } from '../../people/kyc/documents';
import { decisionsOn, readKyc } from '../../people/kyc/operations';
import { documentView, kycView } from '../../people/kyc/view';
import { lookAtReview } from '../../people/kyc/workflows';
import { requireUser } from '../../people/users/operations';
import { commonLists, line } from '../../process/desk/common-lists';
import { type Line, storyOf, type Teller } from '../../process/desk/story';

/** A user with KYC. Shows the names of the user's fields without their values. */
export const tellUser: Teller = async ({ database }, id, limit) => {
  const kyc = await readKyc(database, null, id);
  const { user, review } = kyc;
  const { meta, tenantId, status, statusReason, externalId, kycStatus, createdAt, updatedAt } = user;
  const { documents, ...shown } = kycView(kyc, { role: 'admin' });
  const workflowId = review && lookAtReview(review).workflowId;
  return storyOf(
    id,
    {
      what: 'user',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      record: {
        ...line({ externalId, statusReason, createdAt, kycStatus }),
        metaFields: Object.keys(meta),
        kyc: shown,
      },
      ...(workflowId === undefined ? {} : { workflowId }),
    },
    {
      ...(await commonLists(database, { id, workflowId }, limit)),
      documents: documents.map(line),
      decisions: await kycDecisions(database, id),
    },
    limit,
  );
};

async function kycDecisions(sql: Sql, userId: string): Promise<Line[]> {
  const rows = await decisionsOn(sql, userId);
  return rows.map(({ at, decision, decidedBy, reason, submission, documentId }) =>
    line({
      at,
      decision,
      decidedBy,
      reason,
      submission: submission ?? undefined,
      documentId: documentId ?? undefined,
    }),
  );
}

/** A cardholder with masked personal data, and the documents of the newest submission. */
export const tellCardholder: Teller = async ({ database }, id, limit) => {
  const cardholder = await requireCardholder(database, null, id);
  const { tenantId, status, updatedAt } = cardholder;
  const { documents, ...shown } = cardholderView(cardholder);
  const user = cardholder.userId === null ? undefined : await requireUser(database, null, cardholder.userId);
  const changedSinceApproval = user ? await changedNames(database, user) : [];
  const record = { ...shown, ...(changedSinceApproval.length > 0 ? { changedSinceApproval } : {}) };
  const { workflowId } = startSubmission(cardholder);
  const decisions = await decisionsOnCardholder(database, id);
  return storyOf(
    id,
    { what: 'cardholder', tenantId, status, record, workflowId, since: updatedAt.toISOString() },
    {
      ...(await commonLists(database, { id, workflowId }, limit)),
      documents: documents.map(line),
      decisions: decisions.map(({ at, decision, decidedBy, reason }) =>
        line({ at, decision, decidedBy, reason }),
      ),
    },
    limit,
  );
};

/** A KYC document without its content. */
export const tellDocument: Teller = async ({ database }, id, limit) => {
  const document = await requireDocumentById(database, id);
  const { tenantId, userId, status, updatedAt, submission } = document;
  await requireUser(database, null, userId);
  const decisions = await kycDecisions(database, userId);
  return storyOf(
    id,
    {
      what: 'KYC document',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      record: { ...documentView(document), submission },
    },
    {
      ...(await commonLists(database, { id }, limit)),
      decisions: decisions.filter(({ documentId }) => documentId === id),
    },
    limit,
  );
};

/** A file that a tenant has uploaded as a cardholder's photo. */
export const tellFile: Teller = async ({ database }, id, limit) => {
  const file = await findFile(database, null, id);
  if (!file) return undefined;
  const { tenantId, contentType, sha256 } = file;
  return storyOf(
    id,
    { what: 'file', tenantId, status: null, since: null, record: { contentType, sha256 } },
    await commonLists(database, { id }, limit),
    limit,
  );
};
