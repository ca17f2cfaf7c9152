import { text } from 'node:stream/consumers';
import { outliveOutput } from '../output';
import { runInstallation } from './run';
import { terminalOf } from './terminal';

/** `npm run installation -- <group> <command>`. A command runs to its end even if nobody reads its output any more. */
outliveOutput();
runInstallation(process.argv.slice(2), process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  read: () => text(process.stdin),
  terminal: terminalOf(process.stdin, process.stdout),
}).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
