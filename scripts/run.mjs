import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// `node scripts/run.mjs FILE.ts [arguments]` installs the packages when they differ from package-lock.json, then runs
// the file in this process. `npm start` is one script without a `prestart`, because npm prints a line for each script.
// With a closed pipe (`npm start | head -3`) npm ends at the second line, and a process that it leaves behind gets no
// Ctrl-C.

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [node, , file, ...given] = process.argv;

await import('./prestart.mjs');
const load = createRequire(import.meta.url);
load('./typescript.cjs');
process.argv = [node, resolve(root, file), ...given];
load(process.argv[1]);
