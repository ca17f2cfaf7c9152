import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// `node scripts/run.mjs FILE.ts [arguments]`: installs the packages when they are not those of package-lock.json, then
// runs the file in this very process. `npm start` is one script and one process, with no `prestart` before it: npm
// announces each script on standard output, and ends when it announces the second to a pipe whose reader has gone
// (`npm start | head -3`); what it then leaves behind hears no Ctrl-C.

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [node, , file, ...given] = process.argv;

await import('./prestart.mjs');
await import('tsx'); // from here on TypeScript can be loaded
process.argv = [node, resolve(root, file), ...given];
createRequire(import.meta.url)(process.argv[1]);
