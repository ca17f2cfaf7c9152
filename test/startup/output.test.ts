import { Writable } from 'node:stream';
import { createLogger } from '../../src/kernel/logging';
import { outliveOutput, readerGone } from '../../src/startup/output';

/** A stream like standard output: each write fails, and the stream remains. */
function failing(code: string): Writable {
  return new Writable({
    autoDestroy: false,
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
  });
}

const afterEvents = () => new Promise((resolve) => setImmediate(resolve));

it.each(['EPIPE', 'EIO', 'ENOSPC'])('continues when output cannot be written (%s)', async (code) => {
  const stream = failing(code);
  outliveOutput([stream]);
  stream.write('lost\n'); // without a listener, the error would end the process
  await afterEvents();
  expect(stream.listenerCount('error')).toBe(1);
});

it.each([
  ['EPIPE', true],
  ['ENOSPC', false],
])('takes %s for a reader that has gone: %s', async (code, expected) => {
  const stream = failing(code);
  const unread = readerGone(stream);
  expect(unread.aborted).toBe(false);
  stream.write('lost\n');
  await afterEvents();
  expect(unread.aborted).toBe(expected);
});

it('writes lines for people to the same destination as JSON lines', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  createLogger({ level: 'info', role: 'api', readable: true, destination }).info({ port: 8080 }, 'started');
  expect(lines.join('')).toMatch(/INFO[^]*started[^]*port[^]*8080/);
  expect(lines.join('')).not.toContain('"level"');
});
