import { createKeyring } from '../../../src/kernel/security/keyring';
import { createTemporalClient, type TemporalClient } from '../../../src/kernel/temporal/connection';

/** The Temporal of a product that runs in processes of its own and encrypts nothing there. */
export const temporalAt = (address: string): TemporalClient =>
  createTemporalClient({ address, namespace: 'default', encrypt: false }, createKeyring(Buffer.alloc(32)));

/** The next turn of a schedule is now, as an operator triggers it; nothing happens where Temporal is away. */
export async function takeTurn({ client }: TemporalClient, scheduleId: string): Promise<void> {
  await client.schedule
    .getHandle(scheduleId)
    .trigger()
    .catch(() => undefined);
}
