import { text } from 'node:stream/consumers';
import { outliveOutput } from '../output';
import { runOperator } from './run';

/**
 * `npm run operator -- <group> <command>`. A command whose output nobody reads any more (`| head`) is carried out to its
 * end all the same: half of a change would be worse than a late prompt.
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
