import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBankFolder, SUBFOLDERS } from '../../../src/parties/iso20022/folder';

/** The bank's tool may be another user, who shares the group. */

let folder: string;
let umask: number;
beforeEach(async () => {
  umask = process.umask(0o022);
  folder = await mkdtemp(join(tmpdir(), 'bank-folder-'));
});
afterEach(async () => {
  process.umask(umask);
  await rm(folder, { recursive: true, force: true });
});

const rightsOf = async (name: string) => (await stat(join(folder, name))).mode & 0o7777;

it('new folders may be written by the group, whatever the umask is', async () => {
  await openBankFolder(folder).incoming();
  for (const name of SUBFOLDERS) expect((await rightsOf(name)) & 0o777).toBe(0o770);
});

it('new folders hand down the group as the folder around them does', async () => {
  await chmod(folder, 0o2770);
  await mkdir(join(folder, 'another'));
  await openBankFolder(folder).incoming();
  for (const name of SUBFOLDERS)
    expect((await rightsOf(name)) & 0o2000).toBe((await rightsOf('another')) & 0o2000);
});

it('a folder that exists keeps its rights', async () => {
  await mkdir(join(folder, 'incoming'), { mode: 0o750 });
  await openBankFolder(folder).incoming();
  expect(await rightsOf('incoming')).toBe(0o750);
});
