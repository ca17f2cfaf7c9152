import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { PartyLine } from '../../src/parties/protocol/description';
import { mustBeSigned } from './callback-checks';
import type { Context } from './context';
import { idOf, messageIn, type Told } from './listener';
import { type Check, Failed, needed } from './outcome';
import { readAs } from './shape';

/** What the party tells us by itself and waits for an answer to. Nothing is checked where nobody awaits such messages. */
export function lineChecks(context: Context): Check[] {
  const { protocol, lineMs } = context;
  if (lineMs === undefined) return [];
  const lines = protocol.lines ?? [];
  return lines.flatMap((line, index) => checksOf(context, line, index === 0 ? lineMs : 0));
}

function checksOf(context: Context, line: PartyLine, waitMs: number): Check[] {
  const { name } = line;
  const told = () => {
    const own = context.told.filter((one) => lineOf(context, one) === line);
    return needed(own[0] && own, `no message of this line came: send some to ${line.path} of this machine`);
  };
  const refused = 'It is refused with 401: nothing is done, and the payer or the network is not answered.';
  return [
    {
      name: `${name}.arrives`,
      what: `messages come to ${line.path}`,
      money: 'What networks say is not known here: an authorization is decided by a stand-in.',
      run: async () => {
        await sleep(waitMs);
        told();
      },
    },
    {
      name: `${name}.signed`,
      what: 'each is signed over its bytes by our secret, anew each time that it is sent',
      money: refused,
      run: async () => {
        for (const one of told()) mustBeSigned(context, one);
      },
    },
    {
      name: `${name}.shape`,
      what: 'each is of the documented shape',
      money: 'It is refused with 400 and shown to a person: nothing is booked until it is set right.',
      run: async () => {
        for (const one of told()) {
          const { problems, numbers } = readAs(line.message, messageIn(one));
          const wrong = [...problems, ...numbers.map((field) => `a number in ${field}`)];
          if (wrong.length > 0) throw new Failed(`${idOf(one) ?? 'a message'}: ${wrong.join('; ')}`);
        }
      },
    },
    {
      name: `${name}.repeated`,
      what: 'what was answered with 503 is sent again: the same message under the same name',
      money: 'What the message says is lost, or is booked under two names.',
      run: async () => {
        for (const one of told()) mustBeRepeated(told(), one);
      },
    },
  ];
}

/** The line whose message this is by its type. A type that no line knows belongs to the first one, whose shape it does not have. */
function lineOf({ protocol }: Context, one: Told): PartyLine | undefined {
  const message = messageIn(one);
  const knowsType = ({ message: schema }: PartyLine) =>
    !schema.safeParse(message).error?.issues.some(({ path }) => path[0] === 'type' || path.length === 0);
  return protocol.lines?.find(knowsType) ?? protocol.lines?.[0];
}

/** An authorization may be given up, because its merchant waits no longer. */
function mustBeRepeated(all: readonly Told[], one: Told): void {
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
