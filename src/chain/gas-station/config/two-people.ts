import { z } from 'zod';
import type { Tx } from '../../../kernel/db/database';
import { keptDecimal } from '../../../kernel/wire/schemas';
import { type Approval, type ConfigChange, requestApproval } from '../../../process/approvals/operations';
import { isDualControlled } from '../../../process/limits/operations';
import { requireNetwork } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { SWEEP_STRATEGIES } from '../strategies/port';
import { applyGasTerms, type JudgedGasTerms, judgeGasTerms } from './operations';
import type { GasConfig } from './record';

/** Kind of the approval. */
export const GAS_CONFIG_CHANGE = 'gas-station.config';

/** Delay between the approval of a new treasury and its effect, so that a wrong one can still be stopped. */
const TREASURY_DELAY_MS = 24 * 3_600_000;

/** Terms of the approval. */
export const gasConfigChange = z.object({
  chain: z.string(),
  version: z.int(),
  terms: z.object({
    gasThreshold: keptDecimal,
    gasTopupAmount: keptDecimal,
    maxGasPrice: keptDecimal.nullable(),
    dailyGasBudget: keptDecimal.nullable(),
    minSweepAmount: z.record(z.string(), keptDecimal),
    treasuryAddress: z.string().nullable(),
    sweepConfirmations: z.int(),
    autoSweep: z.boolean(),
    sweepStrategy: z.enum(SWEEP_STRATEGIES),
  }),
});

/** Lists changes that send money to another address or without a person. Switching either off needs one person only. */
function guardedChanges({ before, terms }: JudgedGasTerms): ConfigChange[] {
  const { treasuryAddress, autoSweep } = terms;
  const changes: ConfigChange[] = [];
  if (treasuryAddress !== null && treasuryAddress !== before.treasuryAddress)
    changes.push({ field: 'treasuryAddress', from: before.treasuryAddress, to: treasuryAddress });
  if (autoSweep && !before.autoSweep) changes.push({ field: 'autoSweep', from: 'false', to: 'true' });
  return changes;
}

/** @returns the approval that waits for other people; undefined when one person may make the change */
export async function requestGasChange(
  tx: Tx,
  { chain }: Network,
  judged: JudgedGasTerms,
  asked: { requestedBy: string; at: Date },
): Promise<Approval | undefined> {
  const changes = guardedChanges(judged);
  if (changes.length === 0 || !(await isDualControlled(tx))) return undefined;
  const { before, terms } = judged;
  return requestApproval(tx, {
    kind: GAS_CONFIG_CHANGE,
    subject: chain,
    tenantId: null,
    money: null,
    changes,
    terms: { chain, version: before.version, terms },
    reason: 'a change of the configuration',
    requestedBy: asked.requestedBy,
    requestedAt: asked.at,
  });
}

/**
 * Carries out an approved change. A new treasury takes effect a day later.
 * @throws Problem as {@link judgeGasTerms}: 409 `version_conflict` when the configuration has changed since
 */
export async function executeGasChange(
  tx: Tx,
  { chain, version, terms }: z.output<typeof gasConfigChange>,
  at: Date,
): Promise<{ network: Network; before: GasConfig; after: GasConfig }> {
  const network = await requireNetwork(tx, chain);
  const judged = await judgeGasTerms(tx, network, terms, version);
  const after = await applyGasTerms(tx, network, judged, new Date(at.getTime() + TREASURY_DELAY_MS));
  return { network, before: judged.before, after };
}
