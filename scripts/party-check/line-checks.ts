import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { PartyLine } from '../../src/parties/protocol/description';
import { mustBeSigned } from './callback-checks';
import type { Context } from './context';
import { idOf, type LineMessage, messageIn } from './listener';
import { type Check, Failed, needed } from './outcome';
import { readAs } from './shape';

/** Checks of messages that the party sends first and expects an answer to. None without a listener for them. */
export function lineChecks(context: Context): Check[] {
  const { protocol, lineMs } = context;
  if (lineMs === undefined) return [];
  const lines = protocol.lines ?? [];
  return lines.flatMap((line, index) => checksOf(context, line, index === 0 ? lineMs : 0));
}

function checksOf(context: Context, line: PartyLine, waitMs: number): Check[] {
  const { name } = line;
  const messages = () => {
    const own = context.told.filter((one) => lineOf(context, one) === line);
    return needed(own[0] && own, `no message of this line came: send some to ${line.path} of this machine`);
  };
  const refused = 'We refuse it with 401. Nothing is done, and the payer or the network gets no answer.';
  return [
    {
      name: `${name}.arrives`,
      what: `messages come to ${line.path}`,
      money: 'Messages of networks do not reach us, so a stand-in decides authorizations.',
      run: async () => {
        await sleep(waitMs);
        messages();
      },
    },
    {
      name: `${name}.signed`,
      what: 'each message is signed over its bytes with the secret, anew at each attempt',
      money: refused,
      run: async () => {
        for (const one of messages()) mustBeSigned(context, one);
      },
    },
    {
      name: `${name}.shape`,
      what: 'each message has the documented shape',
      money: 'We refuse it with 400 and tell a person. Nothing is booked until it is corrected.',
      run: async () => {
        for (const one of messages()) {
          const { problems, numbers } = readAs(line.message, messageIn(one));
          const wrong = [...problems, ...numbers.map((field) => `a number in ${field}`)];
          if (wrong.length > 0) throw new Failed(`${idOf(one) ?? 'a message'}: ${wrong.join('; ')}`);
        }
      },
    },
    {
      name: `${name}.repeated`,
      what: 'a message that was answered with 503 is sent again under the same name',
      money: 'The message is lost, or is booked under two names.',
      run: async () => {
        for (const one of messages()) mustBeRepeated(messages(), one);
      },
    },
  ];
}

/**
 * Finds the line of a message by its type. An unknown type belongs to the first line, where the check of the shape
 * fails.
 */
function lineOf({ protocol }: Context, one: LineMessage): PartyLine | undefined {
  const message = messageIn(one);
  const knowsType = ({ message: schema }: PartyLine) =>
    !schema.safeParse(message).error?.issues.some(({ path }) => path[0] === 'type' || path.length === 0);
  return protocol.lines?.find(knowsType) ?? protocol.lines?.[0];
}

/** An authorization may be missing, because its merchant does not wait for it. */
function mustBeRepeated(all: readonly LineMessage[], one: LineMessage): void {
  const id = idOf(one);
  if (one.status !== 503 || id === undefined) return;
  const message = messageIn(one);
  const others = all.filter((other) => other !== one && idOf(other) === id);
  if (others.some((other) => !isDeepStrictEqual(messageIn(other), message)))
    throw new Failed(`${id} came again as another message`);
  const mayBeGivenUp = (message as { type?: unknown }).type === 'authorization';
  if (others.length === 0 && !mayBeGivenUp)
    throw new Failed(`${id} was answered with 503, and did not come again`);
}
