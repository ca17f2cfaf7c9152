import { describeReply, isDone } from './caller';
import type { Context } from './context';
import { type Check, Failed } from './outcome';
import { readAs } from './shape';

/** Checks of operations that read no record. */
export const questionChecks = (context: Context): Check[] =>
  context.protocol.operations
    .filter((operation) => operation.kind === 'question')
    .map(({ name, path, answer }) => ({
      name: `${name}.answer`,
      what: `GET ${path} is answered in the documented shape`,
      money: 'Work that depends on it waits. We ask again.',
      run: async () => {
        const reply = await context.ask({ method: 'GET', path });
        if (!isDone(reply)) throw new Failed(`it was answered with ${describeReply(reply)}`);
        const { problems, numbers } = readAs(answer, reply.body);
        const wrong = [...problems, ...numbers.map((field) => `a number in ${field}`)];
        if (wrong.length > 0) throw new Failed(wrong.join('; '));
      },
    }));
