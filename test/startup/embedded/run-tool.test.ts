/** @isolated kills programs. */
import { runTool } from '../../../src/startup/embedded/run-tool';

const options = { environment: process.env, timeoutMs: 600_000 };
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('returns the output of a program, and throws the output of a failed one', async () => {
  expect(await runTool(process.execPath, ['-p', '6 * 7'], options)).toBe('42\n');
  const failing = ['-e', 'console.error("no luck"); process.exit(3)'];
  await expect(runTool(process.execPath, failing, options)).rejects.toThrow(/ended with 3: no luck/);
});

test('ends a program whose time has passed', async () => {
  const endless = ['-e', 'setInterval(() => undefined, 1_000)'];
  await expect(runTool(process.execPath, endless, { ...options, timeoutMs: 100 })).rejects.toThrow(
    /ended with SIGKILL/,
  );
});

test('leaves nothing behind when the program is missing', async () => {
  const before = timers();
  await expect(runTool('no-such-program', [], options)).rejects.toThrow('ENOENT');
  expect(timers()).toBe(before);
});
