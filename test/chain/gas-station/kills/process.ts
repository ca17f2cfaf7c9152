import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { advanceGasOperation } from '../../../../src/chain/gas-station/operations/steps/advance';
import { createDatabase } from '../../../../src/kernel/db/database';
import { NO_OBSERVERS } from '../../../../src/kernel/metrics/observers';
import { createCommands } from '../../../../src/kernel/outbox/commands';
import { createChains } from '../../../../src/parties/chain/create';
import { createLocalSigner } from '../../../../src/parties/signer/local';
import type { Services } from '../../../../src/services';
import { brokenOff } from '../../../support/broken-off';
import { seedKeys, testKeyring } from '../../../support/keyring';

/**
 * A process that leads an operation to its end, or kills itself after its n-th call that leaves something behind: in
 * the database, on the chain, or signed. Prints how many there were. Its arguments: `<database> <key> <operation> <place>`.
 */
async function main([url = '', key = '', operation = '', place]: string[]): Promise<void> {
  const database = createDatabase({ url, poolSize: 4, name: 'killed' });
  const keyring = testKeyring(Buffer.from(key, 'hex'));
  const log = pino({ level: 'silent' });
  const now = () => new Date();
  const parties = {
    chain: createChains({ log, observers: NO_OBSERVERS, now }),
    signer: createLocalSigner({ database, ...seedKeys(keyring) }),
  };
  const whole = { database, keyring, log, now, parties, commands: createCommands(() => undefined) };
  const end = () => {
    process.kill(process.pid, 'SIGKILL');
    throw new Error('the process goes on after its end');
  };
  const how = { end, writesAlone: true };
  const { services, calls } = brokenOff(whole as unknown as Services, Number(place), how);
  for (let looks = 0; (await advanceGasOperation(services, operation)).open; looks += 1) {
    if (looks === 200) throw new Error('the operation does not end');
    await sleep(50);
  }
  console.log(calls());
  process.exit(0);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error);
  process.exit(1);
});
