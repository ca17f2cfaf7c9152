import { type TellHeadsDeps, tellHeads } from '../src/desk/witness/tell-heads';

export interface AuditActivities {
  /** Tells the witness the heads of the audit chain that it lacks. Idempotent. @returns the number of heads */
  tellAuditHeads(): Promise<number>;
}

export const createAuditActivities = (services: TellHeadsDeps): AuditActivities => ({
  tellAuditHeads: () => tellHeads(services),
});
