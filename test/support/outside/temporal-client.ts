import { createTemporalClient, type TemporalClient } from '../../../src/kernel/temporal/connection';
import { testKeyring } from '../keyring';

/** Returns a client for the Temporal of a product in other processes, without encryption. */
export const temporalAt = (address: string): TemporalClient =>
  createTemporalClient({ address, namespace: 'default', encrypt: false }, testKeyring(Buffer.alloc(32)));

/** Triggers a schedule now, as an operator does. Does nothing while Temporal is down. */
export async function takeTurn({ client }: TemporalClient, scheduleId: string): Promise<void> {
  await client.schedule
    .getHandle(scheduleId)
    .trigger()
    .catch(() => undefined);
}
