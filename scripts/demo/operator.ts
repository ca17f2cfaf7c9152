import { runOperator } from '../../src/startup/operator/run';

/**
 * A command of the operator's command line, on the installation that the environment names.
 * @returns its exit code, and what it printed as JSON
 * @throws Error what it complained of, where it printed nothing
 */
export async function operatorJson<Answer>(...argv: string[]): Promise<{ code: number; told: Answer }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runOperator([...argv, '--json'], process.env, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  if (out.length === 0) throw new Error(`operator ${argv.join(' ')}: ${err.join(' ')}`);
  return { code, told: JSON.parse(out.join('')) as Answer };
}
