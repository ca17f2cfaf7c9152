/** @long starts a server. */
import { rm } from 'node:fs/promises';
import pino from 'pino';
import type { Config } from '../../../src/kernel/config/config';
import { statePathOf } from '../../../src/startup/embedded/kept-server';
import { readState } from '../../../src/startup/embedded/state-file';
import { startDatabase } from '../../../src/startup/infrastructure';
import { createStages, StoppedWhileStarting } from '../../../src/startup/stages';
import { quietLog, temporaryFolder } from '../../support/servers';

it('a stop waits for a server that is coming up, and ends it', async () => {
  const dataDir = temporaryFolder();
  const stages = createStages(pino({ level: 'silent' }));
  const config = { dataDir } as Config;
  const starting = startDatabase({ config, log: quietLog, onProgress: () => undefined, stages });
  const failed = expect(starting).rejects.toThrow(StoppedWhileStarting);
  try {
    await stages.stop();
    const state = await readState<{ port: number; keeper?: unknown }>(statePathOf(dataDir, 'postgres'));
    expect(state).toEqual(expect.objectContaining({ port: expect.any(Number) }));
    expect(state?.keeper).toBeUndefined();
  } finally {
    await failed;
    await rm(dataDir, { recursive: true, force: true });
  }
});
