import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSentNames } from '../../../src/parties/iso20022/sent-names';

it('has the names of a file that several processes note at the same time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sent-names-'));
  const processes = [1, 2, 3].map(() => openSentNames(folder));
  for (let file = 0; file < 20; file += 1)
    await Promise.all(processes.map((each) => each.note(`CW${file}`, [`order-${file}`])));
  for (const each of processes) expect((await each.all()).size).toBe(20);
  expect((await readdir(join(folder, 'sent'))).filter((name) => name.startsWith('.'))).toEqual([]);
  await rm(folder, { recursive: true });
});
