import { readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SOURCES } from '../src/kernel/build';
import { buildBundles, DIST } from '../workers/bundle';
import { copyReader } from './build/reader';
import { compile } from './typescript.cjs';

const ROOT = join(__dirname, '..');
/** Kept by each process that loads TypeScript, this one included. */
const COMPILED = 'compiled';

/**
 * `npm run build` prepares what a process would otherwise prepare at its start: the workflow bundle, compiled sources and
 * V8's code cache of them. The build also copies the reader of the document, so that production needs no package of it.
 */
async function main(): Promise<void> {
  for (const name of readdirSync(DIST)) {
    if (name !== COMPILED) rmSync(join(DIST, name), { recursive: true });
  }
  for (const folder of SOURCES) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.ts')) compile(join(ROOT, folder, name));
  }
  await loadProduct();
  const reader = join(DIST, 'reader');
  copyReader(reader);
  for (const path of [join(DIST, COMPILED), reader, ...(await buildBundles(DIST))])
    console.log(relative(process.cwd(), path));
}

/** Loads what a process of any role loads. V8 keeps the code of it when this process ends. */
async function loadProduct(): Promise<void> {
  await import('../src/composition.ts');
  await import('../activities/index.ts');
  await import('../workers/worker.ts');
}

main().catch((error: Error) => {
  console.error(error);
  process.exit(1);
});
