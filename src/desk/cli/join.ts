import { StartupError } from '../../kernel/startup-error';
import { deskCaller } from './client';
import type { Outcome } from './render';

interface ShownLink {
  purpose: 'invitation' | 'code_generator';
  name: string;
  codeGenerator: string;
  expiresAt: string;
}

export interface JoinGiven {
  token: string;
  /** A code of the new generator. Absent: the link is shown, and not used. */
  code: string | undefined;
  secret(): Promise<string>;
}

/**
 * Looks at a one-time link, or uses it with a code of its new generator.
 * @returns what to tell the operator
 * @throws Problem of the desk; StartupError without a secret
 */
export async function joinByLink(url: string, { token, code, secret }: JoinGiven): Promise<string> {
  const desk = deskCaller(url);
  if (code === undefined) return lookText((await desk.post<ShownLink>('/links/look', { token })).body);
  const chosen = await secret();
  if (chosen === '') throw new StartupError('Give your secret in OPERATOR_SECRET, or on the input.');
  const { body } = await desk.post<ShownLink & { operatorId: string }>('/links/use', {
    token,
    secret: chosen,
    code,
  });
  const { operatorId, name, purpose } = body;
  return purpose === 'invitation'
    ? `${operatorId} is ${name}. Tell another operator this id yourself: he admits you by "operator admit ${operatorId}".`
    : `${name} has a new code generator. All sessions of ${name} have ended.`;
}

/** Adds to the token of a one-time link the address at which a browser uses it. Other answers have no token. */
export function withLink(url: string, { result, ...shown }: Outcome): Outcome {
  const linked = <T extends Record<string, unknown>>(fields: T) => {
    const { token } = fields;
    return typeof token === 'string' ? { ...fields, link: `${url}/join#${token}` } : fields;
  };
  return result === undefined ? linked(shown) : { ...shown, result: linked(result) };
}

const lookText = ({ purpose, name, codeGenerator, expiresAt }: ShownLink): string =>
  `${purpose === 'invitation' ? `You are invited as ${name}.` : `A new code generator for ${name}.`} The link ends at ${expiresAt}.\n` +
  `The code generator, for an app:\n${codeGenerator}\n` +
  `Then use the link with a code of it: join TOKEN --code CODE, with ${purpose === 'invitation' ? 'a secret that you choose' : 'your secret'} in OPERATOR_SECRET, or on the input.`;
