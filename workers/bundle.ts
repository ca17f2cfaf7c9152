import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';
import { version as sdkVersion } from '@temporalio/worker/package.json';
import { sourceHash } from '../src/kernel/build';
import { makeFolder } from '../src/kernel/folders';
import { FAILURE_CONVERTER } from '../src/kernel/temporal/codec';

const ROOT = join(__dirname, '..');
const WORKFLOWS = join(ROOT, 'workflows');
const INTERCEPTORS = join(WORKFLOWS, 'support/trace-interceptors.ts');
/** Output folder of `npm run build`. */
export const DIST = join(ROOT, 'dist');

const KEPT_MS = 24 * 60 * 60 * 1000;

const silent = () => undefined;
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };

/**
 * Returns the workflows as the one file that workers run. It comes from `dist/`, from the cache, or is bundled now,
 * which takes some seconds. A file's name holds a hash of its sources, so that no file is ever stale.
 * @param encrypt whether failure messages are encrypted (src/kernel/temporal/codec.ts)
 * @param cacheDir keeps a new bundle. If the folder is not writable, each start bundles again
 */
export async function workflowBundle(encrypt: boolean, cacheDir: string): Promise<WorkflowBundleOption> {
  const name = bundleName(encrypt);
  for (const folder of [DIST, cacheDir]) {
    const codePath = join(folder, name);
    if (existsSync(codePath)) return { codePath };
  }
  const code = await bundle(encrypt);
  const codePath = await keep(cacheDir, name, code).catch(() => undefined);
  return codePath === undefined ? { code } : { codePath };
}

/** Writes the plain and the encrypting bundle into the folder. @returns their paths */
export async function buildBundles(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const encrypt of [false, true]) {
    paths.push(await keep(folder, bundleName(encrypt), await bundle(encrypt)));
  }
  return paths;
}

/** @param workflowsPath the file that exports the workflows */
export async function bundle(encrypt: boolean, workflowsPath = join(WORKFLOWS, 'index.ts')): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    // Evaluated once instead of for each run, which was an eighth of a short run's work. No workflow module may therefore hold
    // state of a run. The SDK freezes these modules.
    preloadModules: [workflowsPath, INTERCEPTORS],
    workflowInterceptorModules: [INTERCEPTORS],
    logger: quiet,
    ...(encrypt ? { failureConverterPath: FAILURE_CONVERTER } : {}),
  });
  return code;
}

/** Writes the file by a rename, so that a worker that starts at the same time never reads half of it. */
async function keep(folder: string, name: string, code: string): Promise<string> {
  await makeFolder('DATA_DIR', folder);
  const path = join(folder, name);
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, code);
  await rename(fresh, path);
  await removeOld(folder).catch(() => undefined);
  return path;
}

/** Removes bundles that are older than a day. */
async function removeOld(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('workflows-'));
  for (const path of names.map((name) => join(folder, name))) {
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { force: true });
  }
}

function bundleName(encrypt: boolean): string {
  const hash = createHash('sha256').update(sdkVersion).update(sourceHash()).digest('hex');
  return `workflows${encrypt ? '-encrypted' : ''}-${hash.slice(0, 16)}.js`;
}
