import { readConfig } from '../../src/kernel/config/config';
import { runOperator } from '../../src/startup/operator/run';
import { readCredentials } from './api';

/**
 * Runs an operator command on the installation of the environment. The operator is the sandbox's own, unless
 * OPERATOR_SECRET names another.
 * @returns its exit code and its JSON output
 * @throws Error with its error message when it printed nothing
 */
export async function operatorJson<Answer>(...argv: string[]): Promise<{ code: number; answer: Answer }> {
  const [out, err]: [string[], string[]] = [[], []];
  const { operator } = readCredentials(readConfig().dataDir);
  const environment = {
    OPERATOR_NAME: operator.name,
    OPERATOR_SECRET: operator.operatorSecret,
    ...process.env,
  };
  const code = await runOperator([...argv, '--json'], environment, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  if (out.length === 0) throw new Error(`operator ${argv.join(' ')}: ${err.join(' ')}`);
  return { code, answer: JSON.parse(out.join('')) as Answer };
}
