import { SIGNATURE_HEADER, TOLERANCE_SECONDS, verifySignature } from '../../src/parties/protocol/signature';
import { type Context, within } from './context';
import { messageIn, type ReceivedRequest } from './listener';
import { type Check, Failed, needed, Skipped } from './outcome';
import { hasChanged } from './state-checks';

/** Checks of the party's callbacks. */
export function callbackChecks(context: Context): Check[] {
  const { callback } = context.protocol;
  if (!callback) return [];
  const heard = () => needed(context.heard[0] && context.heard, 'no callback has come');
  return [
    {
      name: 'callback.arrives',
      what: 'a callback comes when a record has changed',
      money: 'We find changes only by the list, some seconds later.',
      run: () => mustArrive(context, callback.ref),
    },
    {
      name: 'callback.signed',
      what: `a callback is signed over its bytes, within ${TOLERANCE_SECONDS} seconds of our time`,
      money: 'It is refused with 401 and counted as forged: what happens is found by the list alone.',
      run: async () => {
        for (const one of heard()) mustBeSigned(context, one);
      },
    },
    {
      name: 'callback.shape',
      what: 'a callback has the documented shape',
      money: 'It is refused with 401 and counted as forged: what happens is found by the list alone.',
      run: async () => {
        for (const one of heard()) {
          const parsed = callback.schema.safeParse(messageIn(one));
          if (!parsed.success)
            throw new Failed(`${parsed.error.issues[0]?.path.join('.') || 'the body'} is invalid`);
        }
      },
    },
  ];
}

async function mustArrive(context: Context, ref: string): Promise<void> {
  if (context.callbackUrl === undefined)
    throw new Skipped('the party cannot reach this machine: give its address with --callback-url');
  const made = context.made.filter(({ body }) => body['callbackUrl'] !== undefined);
  if (made.length === 0) throw new Skipped('no order names an address for callbacks');
  const refs = made.map((one) => one.ref);
  const come = await within(context.patienceMs, () =>
    context.heard.find((one) => refs.includes(String((messageIn(one) as Record<string, unknown>)?.[ref]))),
  );
  if (come) return;
  for (const one of made)
    if (await hasChanged(context, one))
      throw new Failed(
        `${one.ref} has changed, and no callback about it came in ${context.patienceMs / 1000} seconds`,
      );
  throw new Skipped('no ordered record has changed');
}

/** @throws Failed */
export function mustBeSigned({ secret }: Context, { raw, headers, at }: ReceivedRequest): void {
  const header = headers[SIGNATURE_HEADER];
  if (header === undefined) throw new Failed(`it has no ${SIGNATURE_HEADER}`);
  if (!verifySignature(raw, headers, { secret, now: at }))
    throw new Failed(
      `"${String(header)}" is no signature of its ${raw.length} bytes by our secret, at ${at.toISOString()}`,
    );
}
