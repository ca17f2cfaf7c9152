import { randomUUID } from 'node:crypto';
import { audit } from '../../../kernel/audit/audit';
import type { Database, Tx } from '../../../kernel/db/database';
import { Problem } from '../../../kernel/errors';

import { openBreak } from '../../../process/breaks/operations';
import type { Network } from '../../networks/record';
import { lockDerivation, nameTreasury } from '../../wallets/operations';
import { assertTreasury, lockGasConfig, showTreasury } from './operations';
import type { GasConfig } from './record';
import { findGasConfig, updateTreasury } from './store';

/** The actor of scheduled changes in the audit log. */
const SCHEDULE = 'schedule';

/** Whether an approved treasury is not in effect yet. Until then nothing is swept without a person. */
export const awaitsTreasury = ({ nextTreasuryAddress }: Pick<GasConfig, 'nextTreasuryAddress'>): boolean =>
  nextTreasuryAddress !== null;

/**
 * Puts a due treasury into effect. Idempotent. Drops, and shows in a break, an address that has become one of ours
 * meanwhile.
 */
export async function putTreasuryInForce(database: Database, network: Network, at: Date): Promise<void> {
  const seen = await findGasConfig(database, network.chain);
  if (!seen || !isDue(seen, at)) return;
  await database.transaction(async (tx) => {
    await lockDerivation(tx, network.kind);
    const before = await lockGasConfig(tx, network);
    if (!isDue(before, at)) return;
    await change(tx, network, before, before.nextTreasuryAddress as string);
  });
}

const isDue = ({ nextTreasuryAddress, nextTreasuryAt }: GasConfig, at: Date): boolean =>
  nextTreasuryAddress !== null && nextTreasuryAt !== null && nextTreasuryAt <= at;

async function change(tx: Tx, network: Network, before: GasConfig, address: string): Promise<void> {
  const refusal = await refusalOf(() => assertTreasury(tx, network, before, address));
  const treasuryAddress = refusal ? before.treasuryAddress : address;
  const after = await updateTreasury(tx, network.chain, treasuryAddress, before.version + 1);
  await nameTreasury(tx, network.chain, treasuryAddress);
  if (refusal) await showDropped(tx, before, refusal);
  else if (before.version > 0) await showTreasury(tx, before, after);
  await audit(tx, {
    caller: { tenantId: SCHEDULE, role: 'admin' },
    requestId: randomUUID(),
    tenantId: null,
    action: 'gas-station.treasury',
    subject: network.chain,
    before: { treasuryAddress: before.treasuryAddress },
    after: { treasuryAddress },
  });
}

async function refusalOf(check: () => Promise<void>): Promise<Problem | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const showDropped = (tx: Tx, { chain, nextTreasuryAddress }: GasConfig, { message }: Problem) =>
  openBreak(tx, {
    tenantId: null,
    kind: 'gas_treasury_refused',
    subject: `chain:${chain}`,
    detail: `${nextTreasuryAddress ?? 'none'}: ${message}`,
  });
