import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimDataDir } from '../../src/startup/data-dir';
import { temporaryFolder } from '../support/servers';

const folder = temporaryFolder('data-dir');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const claim = (dataDir: string) => claimDataDir({ dataDir, databaseUrl: undefined });
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const made = (name: string, mode: number) => {
  const path = join(folder, name);
  mkdirSync(path);
  chmodSync(path, mode); // independent of the umask
  return path;
};

describe('DATA_DIR is private to its owner', () => {
  it('when it is created, with its parent folders', async () => {
    const path = join(folder, 'new', 'data');
    await claim(path);
    expect([modeOf(path), readdirSync(path)]).toEqual(['700', ['layout']]);
  });

  it('when it exists, empty or claimed earlier', async () => {
    const path = made('there', 0o755);
    await claim(path);
    expect(modeOf(path)).toBe('700');
    chmodSync(path, 0o777);
    await claim(path);
    expect(modeOf(path)).toBe('700');
  });

  it('but not when it contains other files, which other users may need', async () => {
    const path = made('shared', 0o755);
    writeFileSync(join(path, 'notes.txt'), '');
    await claim(path);
    expect(modeOf(path)).toBe('755');
  });
});

describe('rejects an unusable folder in one sentence that names the setting', () => {
  it.each([
    ['/proc/cardwright/data', /^DATA_DIR: \/proc\/cardwright cannot be created \(ENOENT\)\. /],
    ['/proc', /^DATA_DIR: \/proc cannot be written to \(\w+\)\. /],
    ['/dev/null', /^DATA_DIR: \/dev\/null is not a folder\. /],
    ['/dev/null/data', /^DATA_DIR: \/dev\/null is not a folder\. /],
  ])('%s', async (path, sentence) => {
    const failed = await claim(path).catch((error: Error) => error);
    expect(failed).toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(/\. Name a folder that this user may write to\.$/),
    });
    expect((failed as Error).message).toMatch(sentence);
  });

  it('a link to nowhere', async () => {
    const link = join(folder, 'nowhere');
    symlinkSync(join(folder, 'gone'), link);
    await expect(claim(link)).rejects.toThrow(/^DATA_DIR: .*nowhere cannot be created \(EEXIST\)\. /);
  });
});
