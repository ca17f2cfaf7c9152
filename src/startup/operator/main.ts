import { text } from 'node:stream/consumers';
import { outliveOutput } from '../output';
import { runOperator } from './run';

/**
 * `npm run operator -- <group> <command>`. A command runs to its end even if nobody reads its output any more (`|
 * head`), because half of a change would be worse.
 */
outliveOutput();
runOperator(process.argv.slice(2), process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  read: () => text(process.stdin),
}).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
