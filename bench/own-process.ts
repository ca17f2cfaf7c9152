import { fork } from 'node:child_process';

/** Runs a file of the bench in a process of its own. The file answers a plan by {@link answerPlan}. */
export function runInOwnProcess<Plan extends object, Result>(file: string, plan: Plan): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = fork(file, { execArgv: ['--require', './scripts/typescript.cjs'] });
    child.once('message', (result) => resolve(result as Result));
    child.once('exit', (code) => code !== 0 && reject(new Error(`${file} has failed`)));
    child.send(plan);
  });
}

/** Answers the plan that this process is sent with its result, and ends the process. */
export function answerPlan<Plan, Result extends object>(work: (plan: Plan) => Promise<Result>): void {
  process.once('message', (plan: Plan) => {
    work(plan).then(
      (result) => process.send?.(result, () => process.exit(0)),
      (error: Error) => {
        process.stderr.write(`${error.message}\n`);
        process.exit(1);
      },
    );
  });
}
